-- Both nullable, and null unless nodes died or fenced themselves: other jobs pay for none of this.
alter table ${schema}.job
  -- How a crash suspect is claimed; null for other jobs.
  add column suspicion text collate "C" check (suspicion in ('SLOW', 'ALONE')),
  -- How many times its node fenced itself while it ran; null for never.
  add column fencings smallint;

-- A job is a crash suspect from its second crash on, and has one crash left after the third.
update ${schema}.job set suspicion = case when crashes > 2 then 'ALONE' else 'SLOW' end
where crashes > 1;

-- The indexes that a claim reads: a job that crashed once is claimed like any other.
drop index ${schema}.job_ready;
drop index ${schema}.job_ready_stack;
drop index ${schema}.job_ready_suspect;
create index job_ready on ${schema}.job (queue, task, rank)
  where state = 'READY' and stack is null and suspicion is null;
create index job_ready_stack on ${schema}.job (queue, task, stack, rank)
  where state = 'READY' and stack is not null and suspicion is null;
create index job_ready_suspect on ${schema}.job (queue, task, rank)
  where state = 'READY' and suspicion is not null;

alter table ${schema}.node
  -- Its place in the ring in which live nodes watch each other: the random part of the id, so that
  -- nodes that start one after the other are spread over the ring.
  add column place text collate "C" not null generated always as (right(incarnation::text, 12)) stored,
  -- Set when upkeep has found that the node died a while ago and holds no jobs, so that sweeps skip it.
  add column swept boolean not null default false;

create index node_circle on ${schema}.node (place) where state = 'ALIVE';
create index node_unswept on ${schema}.node (incarnation) where state = 'DEAD' and not swept;
