-- The fleet of whoever declared or put it, which its jobs belong to; null for any.
alter table ${schema}.schedule add column stack text collate "C";

-- Such a schedule may make two jobs at once, of which one at most can wait: it was accepted before,
-- and got stuck.
update ${schema}.schedule
set misfire = 'FIRE_ONCE', revision = nextval('${schema}.schedule_number')
where overlap = 'QUEUE' and misfire <> 'FIRE_ONCE';
