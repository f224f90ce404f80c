-- The transaction that wrote a mark. Marks are looked for from the oldest transaction on that may still
-- have some, so that a look does not read past all marks that were deleted while an old snapshot keeps
-- them in the index.
alter table ${schema}.run_mark
  add column written xid8 not null default pg_current_xact_id();

create index run_mark_written on ${schema}.run_mark (written, run_id);
