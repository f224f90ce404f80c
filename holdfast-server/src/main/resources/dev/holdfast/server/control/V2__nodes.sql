-- The version of a tenant's tables, so that a server knows without looking which tenants to migrate.
alter table tenant
  add column schema_version int not null default 0,
  add column migration_error text,
  add column retry_at timestamptz;

-- One row for each registration of a server, also of one that only serves the API. Half-empty pages,
-- so that a heartbeat is written in place.
create table node (
  incarnation uuid primary key,
  id text not null,
  name text,
  host text not null,
  pid bigint not null,
  version text not null,
  claimed_timeout bigint not null, -- microseconds
  timeout bigint not null, -- microseconds
  queues text[] not null,
  tasks text[] not null,
  roles text[] not null,
  capacity int not null,
  running int not null default 0,
  session text not null,
  mode text not null,
  mode_exceptions text[] not null, -- pattern=MODE
  beat bigint not null default 0,
  state text not null check (state in ('ALIVE', 'DEAD')),
  dismissed boolean not null default false,
  death text,
  died_for bigint,
  started_at timestamptz not null,
  beaten_at timestamptz not null,
  died_at timestamptz
) with (fillfactor = 50);

-- The tenants that a server is registered in, and as which incarnation: where to look when it dies.
create table hold (
  process uuid not null,
  tenant int not null,
  incarnation uuid not null,
  active boolean not null, -- false while it has no work there
  primary key (process, tenant)
);
create index hold_tenant on hold (tenant);

-- Tenants that a server has to look at. R: there may be ready work, for nodes that run jobs.
-- T: something falls due, for nodes that run or schedule jobs. Always inserted, never updated into
-- place: two open transactions must not wait for each other.
create table hint (
  id bigint generated always as identity primary key,
  tenant int not null,
  kind "char" not null check (kind in ('R', 'T')),
  due timestamptz not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index hint_due on hint (due);
create index hint_tenant on hint (tenant);
