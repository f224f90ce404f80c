-- Tokens of leases of all keys. One sequence, so that a token never comes again, not even for a key
-- whose row was thrown away in between; and no cache, so that it grows in the order of the asking.
create sequence ${schema}.lease_token;

-- One row for each key that was ever leased, until it ended long ago.
create table ${schema}.lease (
  key         text collate "C" not null primary key,
  token       bigint      not null,
  -- Made up by whoever asked, by which a repeated wish knows that it was granted before.
  acquisition uuid        not null,
  acquired_at timestamptz not null,
  -- Until when it is held without a sign of life; or, done, until when that counts for those who want it once.
  expires_at  timestamptz not null,
  ended_at    timestamptz,
  -- In microseconds.
  ttl         bigint      not null,
  attempt     integer     not null,
  state       text collate "C" not null check (state in ('CLAIMED', 'DONE', 'FAILED', 'EXPIRED')),
  holder      text        not null,
  detail      text
) with (fillfactor = 50);

create index lease_expires on ${schema}.lease (expires_at) where state = 'CLAIMED';
create index lease_ended on ${schema}.lease (ended_at) where ended_at is not null;
