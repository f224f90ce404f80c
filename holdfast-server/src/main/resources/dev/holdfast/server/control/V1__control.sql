create table tenant (
  id int generated always as identity primary key,
  name text not null,
  state text not null check (state in ('CREATING', 'ACTIVE', 'SUSPENDED', 'DELETING', 'DROPPED')),
  created_at timestamptz not null default now(),
  settings text not null default '{}',
  purge_at timestamptz
);
-- A name is free again when its tenant has been dropped: its schema is named after the id.
create unique index tenant_name on tenant (name) where state <> 'DROPPED';

create table api_key (
  id text primary key,
  tenant int references tenant, -- null for keys of the installation
  name text not null,
  hash bytea not null,
  attributes text[] not null,
  tasks text[] not null,
  workflows text[] not null,
  created_at timestamptz not null default now(),
  created_by text,
  expires_at timestamptz,
  revoked_at timestamptz,
  replaced_by text,
  last_used timestamptz
);
create index api_key_tenant on api_key (tenant, id);

-- Numbers that rise with each change, under the lock of their row, so that they follow the order of commits.
create table version (
  name text primary key,
  number bigint not null
);
insert into version values ('key', 1), ('tenant', 1);

create table audit (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  tenant text, -- null for the installation
  key text,
  key_name text,
  address text,
  request text,
  action text not null,
  target text,
  before text,
  after text,
  outcome text not null
);
create index audit_tenant on audit (tenant, id);
create index audit_at on audit using brin (at);

create table idempotency (
  key text not null,
  idempotency_key text not null,
  request_hash bytea not null,
  seed uuid not null,
  status int,
  body text,
  expires_at timestamptz not null,
  primary key (key, idempotency_key)
);
create index idempotency_expiry on idempotency (expires_at);

create table secret (
  name text primary key,
  value bytea not null
);
