-- The fleets whose jobs a node runs, besides jobs of none: to say why a job of another one waits.
alter table ${schema}.node add column serves text[] not null default '{}';
