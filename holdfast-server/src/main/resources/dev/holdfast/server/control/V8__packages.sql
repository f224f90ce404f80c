-- Packages of tenants. The newest version of a name is the one that was stored last.
create table package (
  id bigint generated always as identity primary key,
  tenant int not null references tenant,
  name text not null,
  version text not null,
  digest text not null, -- SHA-256 of the jar, hexadecimal
  size bigint not null,
  tasks text[] not null,
  workflows text not null, -- hashes of graphs by name, as JSON
  signed_by text, -- the name of the trusted key; null if it was not signed
  uploaded_at timestamptz not null default now(),
  uploaded_by text
);
create unique index package_version on package (tenant, name, version);

-- The jar in pieces of 1 MiB, so that no process needs all of it in memory. It is compressed already.
create table package_part (
  package bigint not null references package on delete cascade,
  number int not null,
  content bytea not null,
  primary key (package, number)
);
alter table package_part alter column content set storage external;

insert into version values ('package', 1);
