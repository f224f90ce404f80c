-- The stacks whose jobs a node runs, in addition to jobs without a stack: tells why a job of another stack waits.
alter table ${schema}.node add column serves text[] not null default '{}';
