-- The jobs of dead nodes that other nodes leave to this one.
alter table ${schema}.node
  -- The tasks it has a recovery policy for; null for none.
  add column advises text[],
  -- The stacks whose jobs it recovers, in addition to jobs without a stack; null for all.
  add column sweeps text[];
