-- The schedule, or the trigger and its event, that started a run: fields of the context of its steps,
-- as text that only the engine reads. Null for other runs.
alter table ${schema}.run add column started_by text;
alter table ${schema}.run_history add column started_by text;
