-- Lists of ended jobs of a rare queue read all ended jobs of its tasks.
drop index ${schema}.job_history_task;
create index job_history_task on ${schema}.job_history (task, queue, state, id);
