-- What handlers that ignore their interrupt cost a node, as of its last heartbeat: how many slots,
-- and where that leaves fewer than there should be. Each entry of lost_lanes is a queue, how many of
-- its slots are lost, how many there are, and the tasks that share them, separated by spaces.
alter table ${schema}.node
  add column lost_slots int    not null default 0,
  add column lost_lanes text[] not null default '{}';
