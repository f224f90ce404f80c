-- Frozen, see raw-schema.sql. One parameter: how many jobs. Ids grow, payloads have 50 bytes.
insert into ${schema}.job (id, created_at, run_at, rank, priority, state, queue, task, payload)
select
  (lpad(to_hex(1700000000000 + n), 12, '0') || substr(md5(n::text), 13))::uuid,
  now(), now(), now() + n * interval '1 microsecond', 4, 'READY', 'default', 'bench::noop',
  '{"text":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}'
from generate_series(1, ?) n
