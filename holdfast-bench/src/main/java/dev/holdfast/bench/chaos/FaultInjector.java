package dev.holdfast.bench.chaos;

import dev.holdfast.bench.chaos.Script.Blow;
import dev.holdfast.bench.chaos.Script.Kind;
import dev.holdfast.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/** Injects the faults of a script. */
final class FaultInjector {
  private final EmbeddedPostgres server;
  private final String database;
  private final List<Member> members;
  private final Consumer<String> say;

  FaultInjector(
      EmbeddedPostgres server, String database, List<Member> members, Consumer<String> say) {
    this.server = server;
    this.database = database;
    this.members = members;
    this.say = say;
  }

  /** Injects all faults, and returns when the last has been repaired. */
  void rage(Script script) throws Exception {
    long started = System.nanoTime();
    List<Future<?>> blows = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Blow blow : script.blows()) {
        Thread.sleep(blow.at().minusNanos(System.nanoTime() - started));
        say.accept(told(blow));
        blows.add(
            threads.submit(() -> {
              strike(blow);
              return null;
            }));
      }
      for (Future<?> blow : blows) {
        blow.get();
      }
    }
  }

  private static String told(Blow blow) {
    return "%5.1f s %s, node %d, %.1f s"
        .formatted(
            blow.at().toMillis() / 1e3, blow.kind(), blow.member(), blow.length().toMillis() / 1e3);
  }

  private void strike(Blow blow) throws Exception {
    Member member = members.get(blow.member());
    switch (blow.kind()) {
      case KILL -> member.kill();
      case PAUSE -> {
        member.signal("STOP");
        Thread.sleep(blow.length());
        member.signal("CONT");
      }
      case CUT_SILENTLY -> {
        member.gate().cutSilently();
        Thread.sleep(blow.length());
        member.gate().heal();
      }
      case CUT_HARD -> {
        member.gate().cutHard();
        Thread.sleep(blow.length());
        member.gate().heal();
      }
      case TERMINATE -> endSessions();
      case RESTART -> server.restart();
      case CRASH -> {
        server.kill();
        server.restart();
      }
      case IDLE_TRANSACTION -> idle(blow.length());
      case CLOCK -> {
        member.time().set(Duration.ofHours(blow.length().toMillis() % 2 == 0 ? 1 : -1));
        Thread.sleep(blow.length());
        member.time().set(Duration.ZERO);
      }
    }
  }

  private void endSessions() {
    try (Connection connection = server.connect("postgres");
        Statement statement = connection.createStatement()) {
      statement.execute(
          """
          select pg_terminate_backend(pid) from pg_stat_activity
          where datname = '%s' and random() < 0.5
          """
              .formatted(database));
    } catch (SQLException away) {
      say.accept("could not end sessions: " + away.getMessage());
    }
  }

  private void idle(Duration length) throws InterruptedException {
    try (Connection connection = server.connect(database);
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("set transaction isolation level repeatable read");
      statement.execute("select txid_current()");
      Thread.sleep(length);
      connection.rollback();
    } catch (SQLException broken) {
      say.accept("%s ended early: %s".formatted(Kind.IDLE_TRANSACTION, broken.getMessage()));
    }
  }
}
