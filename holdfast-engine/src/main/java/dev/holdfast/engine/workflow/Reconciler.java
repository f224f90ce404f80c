package dev.holdfast.engine.workflow;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.internal.Times;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.store.RunRepair;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares open runs with their jobs, a few hundred at a time, and repairs what manual changes or
 * bugs have left inconsistent. Nothing needs it while everything works.
 */
public final class Reconciler implements Role {
  private static final Logger log = LoggerFactory.getLogger(Reconciler.class);
  private static final int BATCH = 500;
  private static final Duration BETWEEN_BATCHES = Duration.ofSeconds(1);
  private static final Duration BETWEEN_ROUNDS = Duration.ofMinutes(10);
  private static final Duration AFTER_FAILURE = Duration.ofMinutes(1);

  private final RunRepair repair;
  private final Consumer<RunId> advance;
  private final RandomGenerator random;
  private @Nullable RunId after;
  private boolean started;

  /**
   * @param advance notified of runs that can continue
   */
  public Reconciler(RunRepair repair, Consumer<RunId> advance, RandomGenerator random) {
    this.repair = repair;
    this.advance = advance;
    this.random = random;
  }

  @Override
  public String name() {
    return "reconciler";
  }

  @Override
  public Moment tick(Moment now) {
    if (!started) {
      started = true; // Nodes that start together spread their rounds.
      return now.plus(BETWEEN_ROUNDS.multipliedBy(random.nextInt(50, 150)).dividedBy(100));
    }
    try {
      RunRepair.Report report = repair.repair(after, BATCH);
      report.repairs().forEach(line -> log.warn("Run repaired: {}", line));
      report.look().forEach(advance);
      after = report.last();
      return now.plus(after == null ? BETWEEN_ROUNDS : BETWEEN_BATCHES);
    } catch (StoreException failure) {
      log.warn(
          "Runs could not be compared with their jobs, retrying in {}: {}",
          Times.describe(AFTER_FAILURE),
          failure.getMessage());
      return now.plus(AFTER_FAILURE);
    }
  }
}
