-- The stack of the node or client that declared or put it, to which its jobs belong; null for any.
alter table ${schema}.schedule add column stack text collate "C";

-- Such a schedule may create two jobs at once, of which at most one can wait: it was accepted before,
-- and could not be fired.
update ${schema}.schedule
set misfire = 'FIRE_ONCE', revision = nextval('${schema}.schedule_number')
where overlap = 'QUEUE' and misfire <> 'FIRE_ONCE';
