-- Tokens of the leases of all keys. One sequence, so that a token is never issued again, not even for a
-- key whose row was deleted in between; and no cache, so that tokens grow in the order of the requests.
create sequence ${schema}.lease_token;

-- One row for each key that was leased, until upkeep deletes it some time after its end.
create table ${schema}.lease (
  key         text collate "C" not null primary key,
  token       bigint      not null,
  -- Chosen by the requester: recognises a repeated request that was granted before.
  acquisition uuid        not null,
  acquired_at timestamptz not null,
  -- When it expires unless it is renewed; once done, until when the key counts as done.
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
