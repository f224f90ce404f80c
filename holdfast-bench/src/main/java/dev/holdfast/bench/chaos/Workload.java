package dev.holdfast.bench.chaos;

import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.bench.chaos.AttemptLog.Contents;
import dev.holdfast.bench.chaos.AttemptLog.Counts;
import dev.holdfast.bench.chaos.Evidence.Effect;
import dev.holdfast.bench.harness.BenchException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;

/** A constant load of jobs and runs, and the check of what the nodes have made of it. */
public final class Workload implements AutoCloseable {
  private static final Duration TIME_TO_START = Duration.ofMinutes(2);
  // A job that has crashed a few times waits for more than a minute before its next attempt.
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final Duration LOOK_EVERY = Duration.ofMillis(250);

  private final StoredState stored;
  private final Consumer<String> say;
  private final StoreAccess.Opened opened;
  private final Load load;
  private final RunLoad runLoad;
  private Map<UUID, Long> acknowledged = Map.of();
  private Map<UUID, Workflow<?, ?>> started = Map.of();

  /**
   * What the evidence says.
   *
   * @param acknowledged the acknowledged jobs, with the time of the acknowledgement
   * @param counts the sum of the counts of all nodes, without the last moments of killed nodes
   * @param stuck a line for each job and run that has not ended
   */
  public record Verified(
      Map<UUID, Long> acknowledged,
      int runs,
      List<Effect> effects,
      Counts counts,
      Findings findings,
      List<String> stuck) {}

  /**
   * Creates the tables and starts the load.
   *
   * @param direct access to the same tables without a pooler, to read the stored state
   * @param say is told what happens
   */
  public Workload(StoreAccess access, StoreAccess direct, long seed, Consumer<String> say)
      throws SQLException {
    this.stored = new StoredState(direct.address(), direct.schema());
    this.say = say;
    stored.createBookings();
    this.opened = access.open();
    this.load = new Load(opened.store(), seed);
    this.runLoad = new RunLoad(opened.store(), seed);
  }

  /** Waits until this number of nodes is alive. */
  public void awaitNodes(int nodes) throws Exception {
    long since = System.nanoTime();
    while (stored.livingNodes() < nodes) {
      if (System.nanoTime() - since > TIME_TO_START.toNanos()) {
        throw new BenchException(
            "Only %d of %d nodes have started within %s: see their logs."
                .formatted(stored.livingNodes(), nodes, TIME_TO_START));
      }
      Thread.sleep(LOOK_EVERY);
    }
  }

  /** Stops the load, and returns how long the nodes then needed for the rest of it. */
  public Duration finish() throws Exception {
    acknowledged = load.stop();
    started = runLoad.stop();
    long calm = System.nanoTime();
    settle();
    return Duration.ofNanos(System.nanoTime() - calm);
  }

  private void settle() throws Exception {
    say.accept("all faults are injected; waiting for %d jobs and runs".formatted(stored.open()));
    long left = Long.MAX_VALUE;
    long progressed = System.nanoTime();
    while (left > 0 && System.nanoTime() - progressed < PATIENCE.toNanos()) {
      Thread.sleep(LOOK_EVERY);
      long now = stored.open();
      if (now < left) {
        left = now;
        progressed = System.nanoTime();
      }
    }
  }

  /** Compares the effects in the attempt logs of all nodes with the stored state. */
  public Verified verify(List<Path> journals) throws IOException, SQLException {
    List<Effect> effects = new ArrayList<>();
    Counts counts = Counts.NONE;
    for (Path journal : journals) {
      // A process that was killed right after its start may not have created the file.
      if (Files.exists(journal)) {
        Contents contents = AttemptLog.read(journal);
        effects.addAll(contents.effects());
        counts = counts.plus(contents.counts());
      }
    }
    Findings findings =
        Checker.check(new Evidence(acknowledged.keySet(), stored.ended(), stored.live(), effects))
            .plus(
                RunCheck.check(
                    new RunEvidence(
                        started,
                        stored.endedRuns(),
                        stored.stepJobs(),
                        stored.bookings(),
                        effects)));
    return new Verified(acknowledged, started.size(), effects, counts, findings, stored.stuck(20));
  }

  @Override
  public void close() throws InterruptedException {
    runLoad.close();
    load.close();
    opened.close();
  }
}
