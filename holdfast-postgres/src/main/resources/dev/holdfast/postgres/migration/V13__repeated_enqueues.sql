-- The ids of enqueues that a client sent again after a lost reply, kept for a day. The first attempt
-- may still be on its way, behind a stalled proxy: when it arrives it finds its id here and creates
-- nothing, although the job may have ended and left the job table. Empty as long as no reply is lost.
create table ${schema}.enqueue_repeat (
  id          uuid        not null primary key,
  repeated_at timestamptz not null
);

create index enqueue_repeat_at on ${schema}.enqueue_repeat (repeated_at);

-- Called at the end of the statement that inserts first attempts, with their ids: deletes those that a
-- repeat has overtaken and returns them. A function, because its queries see what was committed until
-- now: the snapshot of the insert is older, and would miss a repeat whose job ended in between.
create function ${schema}.take_back_late(ids uuid[]) returns uuid[] language plpgsql as $$
declare
  late uuid[];
begin
  if exists (select from ${schema}.enqueue_repeat) then
    with gone as (
      delete from ${schema}.job j using ${schema}.enqueue_repeat r
      where r.id = any(ids) and j.id = r.id
      returning j.id
    )
    select array_agg(gone.id) into late from gone;
  end if;
  return late;
end
$$;
