-- Numbers for revisions of schedules and generations of declarations. One sequence, so that a
-- schedule that is deleted and created again never has a revision that a client saw before.
create sequence ${schema}.schedule_number;

-- Recurring jobs.
create table ${schema}.schedule (
  id           text collate "C" not null primary key,
  -- New with every write; a write names the revision that it read.
  revision     bigint      not null,
  created_at   timestamptz not null,
  -- Where intervals count from.
  anchor       timestamptz not null,
  -- The next due time; null if there is none.
  next_fire    timestamptz,
  -- The latest due time that was fired or skipped.
  last_fire    timestamptz,
  starts_at    timestamptz,
  ends_at      timestamptz,
  -- Microseconds.
  jitter       bigint      not null,
  start_within bigint,
  priority     smallint    not null,
  paused       boolean     not null,
  -- Declared in code and cancelled by a client, until its declaration changes or is removed.
  cancelled    boolean     not null default false,
  timing       text        not null,
  misfire      text        not null,
  overlap      text collate "C" not null check (overlap in ('ALLOW', 'SKIP', 'QUEUE')),
  queue        text collate "C" not null,
  task         text collate "C" not null,
  payload      text,
  policy       text,
  tags         text[],
  -- The application whose code declares it, and a digest of the declaration; null if a client created it.
  application  text collate "C",
  fingerprint  text collate "C",
  check ((application is null) = (fingerprint is null))
);

create index schedule_due on ${schema}.schedule (next_fire)
  where next_fire is not null and not paused and not cancelled;
create index schedule_tags on ${schema}.schedule using gin (tags) where tags is not null;

-- The declarations of nodes. Those of dead nodes no longer count, but are kept as long as the rows of
-- their nodes.
create table ${schema}.schedule_declaration (
  incarnation uuid not null references ${schema}.node on delete cascade,
  schedule_id text collate "C" not null,
  application text collate "C" not null,
  fingerprint text collate "C" not null,
  -- Which of several declarations is the newest.
  generation  bigint not null,
  primary key (incarnation, schedule_id)
);

create index schedule_declaration_same
  on ${schema}.schedule_declaration (application, schedule_id, fingerprint, generation);
