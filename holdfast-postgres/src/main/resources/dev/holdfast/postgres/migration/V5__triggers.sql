-- Which events start which tasks. What a trigger does in detail only programs read.
create table ${schema}.event_trigger (
  id         text collate "C" not null primary key,
  event      text collate "C" not null,
  paused     boolean not null default false,
  definition text    not null
);

create index event_trigger_event on ${schema}.event_trigger (event, id);

-- What triggers with a debounce or a cooldown remember of each subject. Whoever publishes locks the row first,
-- so that events of one subject are judged one after the other.
create table ${schema}.trigger_subject (
  trigger_id text collate "C" not null,
  subject    text collate "C" not null,
  -- The latest job made for it, and the key in the ledger of the payload that this job carries.
  job_id     uuid,
  ledger_key text collate "C",
  -- When the first event came that the job stands for.
  since      timestamptz,
  -- Until then the job waits for quiet; from then on it counts as started.
  fires_at   timestamptz,
  -- From then on the row means nothing.
  forget_at  timestamptz not null,
  primary key (trigger_id, subject)
) with (fillfactor = 50);

create index trigger_subject_forget on ${schema}.trigger_subject (forget_at);
