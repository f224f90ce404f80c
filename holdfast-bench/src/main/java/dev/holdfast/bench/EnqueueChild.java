package dev.holdfast.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.api.Holdfast;
import dev.holdfast.bench.harness.ChildCommand;
import dev.holdfast.bench.harness.NoopJobs;
import dev.holdfast.bench.harness.PeerPool;
import dev.holdfast.bench.peers.ImmediatePeer;
import dev.holdfast.cli.database.Address;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.postgres.PostgresStore;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A child process that enqueues jobs one at a time in several threads. */
@Command(name = "enqueue-child", hidden = true)
final class EnqueueChild extends ChildCommand {
  private static final int THREADS = 8;
  private static final String PAYLOAD = "x".repeat(43);
  private static final String INSERT =
      """
      insert into %s.job (id, created_at, run_at, rank, priority, state, queue, task, payload)
      values (?, now(), now(), now(), 4, 'READY', ?, ?, ?)
      """;

  /** What enqueues the jobs. */
  enum Kind {
    HOLDFAST,
    /** One insert into the tables of Holdfast for each job, without a notification. */
    BARE,
    DB_SCHEDULER
  }

  @Option(names = "--kind", required = true)
  @SuppressWarnings("NullAway.Init")
  private Kind kind;

  @Option(names = "--tables", description = "The schema of the tables of db-scheduler.")
  private String tables = "";

  private @Nullable HikariDataSource pool;

  /** What each thread does for each job. */
  private final List<Callable<?>> steps = new ArrayList<>();

  @Override
  protected void start(Address address, PostgresStore store, String schema) throws SQLException {
    switch (kind) {
      case HOLDFAST -> {
        Holdfast client = HoldfastClient.on(store);
        everyThread(() -> client.enqueue(NoopJobs.TASK, NoopJobs.Payload.OF_50_BYTES));
      }
      case DB_SCHEDULER -> {
        pool = PeerPool.of(address, tables, ImmediatePeer.CONNECTIONS);
        Consumer<String> client = ImmediatePeer.client(pool);
        everyThread(() -> {
          client.accept(PAYLOAD);
          return true;
        });
      }
      case BARE -> {
        for (int i = 0; i < THREADS; i++) {
          PreparedStatement insert = address.connect().prepareStatement(INSERT.formatted(schema));
          steps.add(() -> insert(insert));
        }
      }
    }
  }

  @Override
  protected void stop() {
    if (pool != null) {
      pool.close();
    }
  }

  private void everyThread(Callable<?> step) {
    for (int i = 0; i < THREADS; i++) {
      steps.add(step);
    }
  }

  private static int insert(PreparedStatement insert) throws SQLException {
    // Increasing, as the ids of jobs are.
    insert.setObject(
        1,
        new UUID(
            (System.currentTimeMillis() << 16) | 0x7000, ThreadLocalRandom.current().nextLong()));
    insert.setString(2, NoopJobs.QUEUE);
    insert.setString(3, NoopJobs.TASK.name());
    insert.setString(4, "{\"text\":\"%s\"}".formatted("x".repeat(39)));
    return insert.executeUpdate();
  }

  /** Enqueues this number of jobs, and replies with how many microseconds it took. */
  @Override
  protected String obey(String order) throws Exception {
    int each = Integer.parseInt(order) / THREADS;
    long started = System.nanoTime();
    try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
      List<Future<?>> loops = new ArrayList<>();
      for (Callable<?> step : steps) {
        loops.add(
            threads.submit(() -> {
              for (int i = 0; i < each; i++) {
                step.call();
              }
              return true;
            }));
      }
      for (Future<?> loop : loops) {
        loop.get();
      }
    }
    return Long.toString((System.nanoTime() - started) / 1_000);
  }
}
