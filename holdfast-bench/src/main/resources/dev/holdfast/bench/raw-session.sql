-- A plan made while the table was empty scans all of it, and is kept while the table fills.
set enable_seqscan = off;
set enable_hashjoin = off;
set enable_mergejoin = off;
