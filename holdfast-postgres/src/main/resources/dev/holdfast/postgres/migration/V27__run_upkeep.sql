-- The newest format of graphs that a node reads.
alter table ${schema}.node add column graph_format integer not null default 1;

-- How many open runs no live node can continue.
alter table ${schema}.sample add column stranded bigint not null default 0;
