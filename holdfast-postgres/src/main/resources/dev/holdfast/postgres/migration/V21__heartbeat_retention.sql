-- Each record of a heartbeat states until when it is kept: nodes may keep theirs for different times.
-- Nodes of the previous version keep theirs for a day, and still delete what is older than that.
alter table ${schema}.heartbeat
  add column expires_at timestamptz not null default now() + interval '1 day';

create index heartbeat_expires on ${schema}.heartbeat (expires_at);
drop index ${schema}.heartbeat_at;
