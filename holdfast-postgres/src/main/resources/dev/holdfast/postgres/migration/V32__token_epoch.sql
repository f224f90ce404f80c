-- Where the fencing tokens of jobs start: above every token that was issued before this database was
-- restored from a backup. 'holdfast restored' raises it, together with the default of job.token and the
-- sequence of lease tokens. Statements that write the token of a new job read it here.
create table ${schema}.token_epoch (
  single      boolean     not null primary key default true check (single),
  first_token bigint      not null,
  -- Null if the database was never restored.
  started_at  timestamptz
);

insert into ${schema}.token_epoch (first_token) values (0);
