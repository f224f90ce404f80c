-- Which jobs of the dead others leave to this node.
alter table ${schema}.node
  -- The tasks it has a recovery policy for; null for none.
  add column advises text[],
  -- Of which stacks it takes jobs back, besides those of none; null for all.
  add column sweeps text[];
