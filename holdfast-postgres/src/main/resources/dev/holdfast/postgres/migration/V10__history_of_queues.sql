-- Lists of ended jobs of a rare queue went through all that ended of its tasks.
drop index ${schema}.job_history_task;
create index job_history_task on ${schema}.job_history (task, queue, state, id);
