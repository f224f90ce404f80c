-- The start time, in microseconds, of the server whose clock expires_at was taken from. Times of two servers are
-- not compared: after a failover the clock of the new one may be ahead. Null for leases of earlier versions.
alter table ${schema}.lease add column server bigint;
