-- The ids of enqueues that a client sent again after a lost reply, kept for a day. The first attempt
-- may still be on its way, behind a stalled proxy: when it arrives it finds its id here and creates
-- nothing, although the job may have ended and left the job table. Empty as long as no reply is lost.
create table ${schema}.enqueue_repeat (
  id          uuid        not null primary key,
  repeated_at timestamptz not null
);

create index enqueue_repeat_at on ${schema}.enqueue_repeat (repeated_at);
