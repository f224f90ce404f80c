package dev.holdfast.bench;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.JobRequest;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.bench.harness.ChildCommand;
import dev.holdfast.bench.harness.Micros;
import dev.holdfast.bench.harness.NoopJobs;
import dev.holdfast.cli.database.Address;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.store.Store;
import dev.holdfast.postgres.PostgresStore;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;

/** A node in a child process whose jobs take one second each. */
@Command(name = "slow-child", hidden = true)
final class SlowChild extends ChildCommand {
  static final int SLOTS = 50;
  private static final Duration LENGTH = Duration.ofSeconds(1);
  private static final Duration LOOK_EVERY = Duration.ofMillis(50);
  private static final TaskType<HoldTask.Nothing, Void> TASK =
      TaskType.of("bench::slow", HoldTask.Nothing.class);
  private static final String FINISHED = "select count(*) from %s.job_history";

  private final LongAccumulator first = new LongAccumulator(Math::min, Long.MAX_VALUE);
  private final LongAccumulator last = new LongAccumulator(Math::max, 0);

  @SuppressWarnings("NullAway.Init")
  private PreparedStatement finished;

  @SuppressWarnings("NullAway.Init")
  private HoldfastNode node;

  static void enqueue(Store store, int count) {
    try (Holdfast client = HoldfastClient.on(store)) {
      client.enqueueAll(Collections.nCopies(count, JobRequest.of(TASK, new HoldTask.Nothing())));
    }
  }

  @Override
  protected void start(Address address, PostgresStore store, String schema) throws SQLException {
    finished = address.connect().prepareStatement(FINISHED.formatted(schema));
    node =
        HoldfastNode.on(store)
            .queue(NoopJobs.QUEUE, SLOTS)
            .meters(new CompositeMeterRegistry())
            .handle(
                TASK,
                (payload, context) -> {
                  long now = Micros.now();
                  first.accumulate(now);
                  last.accumulate(now);
                  Thread.sleep(LENGTH);
                  return null;
                })
            .start();
  }

  @Override
  protected void stop() {
    node.close();
  }

  /** Replies when all processes have run this number of jobs: the first and the last start here. */
  @Override
  protected String obey(String order) throws SQLException {
    while (count() < Long.parseLong(order)) {
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
    return first.get() + " " + last.get();
  }

  private long count() throws SQLException {
    try (ResultSet row = finished.executeQuery()) {
      row.next();
      return row.getLong(1);
    }
  }
}
