-- Why a queue is paused, and since when; null while it is not paused, or was paused without a reason.
alter table ${schema}.queue
  add column pause_reason text,
  add column paused_at timestamptz;
