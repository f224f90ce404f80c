-- Stored states get the names that the API uses: HALF_OPEN for a circuit breaker, SELF_DECLARED for a death.
do $$
declare
  old record;
begin
  for old in
    select conrelid::regclass as tbl, conname
      from pg_constraint
     where contype = 'c'
       and conrelid in ('${schema}.task_rule'::regclass, '${schema}.node'::regclass)
       and (pg_get_constraintdef(oid) like '%PROBING%' or pg_get_constraintdef(oid) like '%OWN\_HAND%')
  loop
    execute format('alter table %s drop constraint %I', old.tbl, old.conname);
  end loop;
end $$;

update ${schema}.task_rule set breaker = 'HALF_OPEN' where breaker = 'PROBING';

alter table ${schema}.task_rule
  add constraint task_rule_breaker_check check (breaker in ('CLOSED', 'OPEN', 'HALF_OPEN')),
  add constraint task_rule_probe_check check ((breaker = 'HALF_OPEN') = (probe_job is not null));

update ${schema}.node set death = 'SELF_DECLARED' where death = 'OWN_HAND';

alter table ${schema}.node
  add constraint node_death_check check (death in ('SELF_DECLARED', 'SILENCE'));
