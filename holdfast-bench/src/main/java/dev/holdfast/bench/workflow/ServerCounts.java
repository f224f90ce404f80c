package dev.holdfast.bench.workflow;

import dev.holdfast.bench.harness.BenchServer;
import java.sql.SQLException;

/**
 * What a server has done so far.
 *
 * @param statements how many statements were executed; NaN if the server does not count them
 * @param commits how many transactions have written something
 * @param wal the bytes of write-ahead log
 */
record ServerCounts(double statements, long commits, long wal) {

  static ServerCounts of(BenchServer server) throws SQLException {
    return new ServerCounts(
        server.countsStatements()
            ? server.number("select coalesce(sum(calls), 0)::bigint from pg_stat_statements")
            : Double.NaN,
        server.number("select pg_snapshot_xmax(pg_current_snapshot())::text::bigint"),
        server.walPosition());
  }

  ServerCounts since(ServerCounts before) {
    return new ServerCounts(
        statements - before.statements, commits - before.commits, wal - before.wal);
  }
}
