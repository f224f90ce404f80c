-- Which events start which tasks. Only the engine reads the definition.
create table ${schema}.event_trigger (
  id         text collate "C" not null primary key,
  event      text collate "C" not null,
  paused     boolean not null default false,
  definition text    not null
);

create index event_trigger_event on ${schema}.event_trigger (event, id);

-- The state of each subject of triggers with a debounce or a cooldown. Publishing locks the row first, so that
-- events of one subject are decided one after the other.
create table ${schema}.trigger_subject (
  trigger_id text collate "C" not null,
  subject    text collate "C" not null,
  -- The latest job of the subject, and the key in the ledger for its payload.
  job_id     uuid,
  ledger_key text collate "C",
  -- When the first event arrived that the job stands for.
  since      timestamptz,
  -- Until this time the job waits for further events; then it counts as started.
  fires_at   timestamptz,
  -- From this time on the row has no effect.
  forget_at  timestamptz not null,
  primary key (trigger_id, subject)
) with (fillfactor = 50);

create index trigger_subject_forget on ${schema}.trigger_subject (forget_at);
