-- The newest format of graphs that a node reads.
alter table ${schema}.node add column graph_format integer not null default 1;

-- How many open runs no live node can continue.
alter table ${schema}.sample add column stranded bigint not null default 0;

-- A graph that is not used any more is retired, and an hour later its body is deleted. The row stays,
-- so that the graph has the same id when it is registered again.
alter table ${schema}.workflow_definition
  alter column body drop not null,
  add column retired_at timestamptz,
  -- A transaction that started after every start that may not have seen that it is retired.
  add column sealed xid8;
