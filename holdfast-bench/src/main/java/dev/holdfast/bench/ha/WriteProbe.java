package dev.holdfast.bench.ha;

import dev.holdfast.bench.harness.BenchException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/** Finds out when a standby has become a primary that accepts writes. */
final class WriteProbe {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration BETWEEN_WRITES = Duration.ofMillis(20);
  private static final String TABLE = "public.write_probe";

  private WriteProbe() {}

  static String table() {
    return "create table if not exists %s (at timestamptz not null)".formatted(TABLE);
  }

  /** Writes until a commit succeeds, and returns when that was. */
  static long await(Machine machine, String database) throws InterruptedException {
    long started = System.nanoTime();
    String last = "";
    while (System.nanoTime() - started < PATIENCE.toNanos()) {
      try (Connection connection = machine.address(database).connect();
          Statement statement = connection.createStatement()) {
        statement.execute("insert into %s values (now())".formatted(TABLE));
        return System.nanoTime();
      } catch (SQLException notYet) {
        last = String.valueOf(notYet.getMessage());
      }
      Thread.sleep(BETWEEN_WRITES);
    }
    throw new BenchException(
        "%s has not become the primary within %s: %s".formatted(machine.name(), PATIENCE, last));
  }
}
