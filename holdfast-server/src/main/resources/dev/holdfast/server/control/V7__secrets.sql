-- The secrets of tenants, encrypted with a master key that is not in the database. A ciphertext is bound
-- to its tenant and name. Rows of a dropped tenant are deleted with its schema.
create table task_secret (
  tenant int not null,
  name text not null collate "C",
  key_id text not null collate "C", -- the master key that encrypts it
  nonce bytea not null,
  ciphertext bytea not null,
  version bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant, name)
);

-- For the rotation of the master key.
create index task_secret_key on task_secret (key_id, tenant, name);
