package dev.holdfast.bench.chaos;

import dev.holdfast.api.JobRequest;
import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.policy.CrashPolicy;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.run.TaskContext;
import dev.holdfast.api.task.TaskType;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The task of the chaos run: a few effects, with pauses in which the node may be killed. */
final class ChaosTask {
  static final String QUEUE = "default";

  static final TaskType<Work, Void> TYPE =
      TaskType.of("chaos::work", Work.class).with(ChaosTask::options);

  // High limits, so that faults alone never dead-letter a job: a dead-lettered job is a finding.
  static void options(JobOptions.Builder options) {
    options
        .queue(QUEUE)
        .onCrash(CrashPolicy.retry(100))
        .retry(RetryPolicy.fixed(Duration.ofMillis(300)).maxAttempts(100));
  }

  /**
   * @param effects the number of effects
   * @param pauseMillis the pause between two effects
   * @param failsFirst whether the first attempt fails
   */
  record Work(int effects, int pauseMillis, boolean failsFirst) {}

  private final AttemptLog journal;

  ChaosTask(AttemptLog journal) {
    this.journal = journal;
  }

  /** Returns a random job: most are short, some long, some fail once, some are due later. */
  static JobRequest<Work, Void> some(RandomGenerator random) {
    return switch (random.nextInt(10)) {
      case 0 -> JobRequest.of(TYPE, new Work(3, 10, true));
      case 1 ->
          JobRequest.of(
              TYPE, new Work(2, 0, false), options -> options.runIn(Duration.ofMillis(1500)));
      case 2, 3, 4 -> JobRequest.of(TYPE, new Work(6, 60, false));
      default -> JobRequest.of(TYPE, new Work(2, 5, false));
    };
  }

  @Nullable Void run(Work work, TaskContext context) throws InterruptedException {
    for (int effect = 1; effect <= work.effects; effect++) {
      if (effect > 1) {
        Thread.sleep(work.pauseMillis);
      }
      long decided = System.nanoTime();
      if (context.isStopping() || Thread.interrupted()) {
        throw new InterruptedException("told to stop");
      }
      boolean last = effect == work.effects;
      if (last && work.failsFirst && context.attempt() == 1) {
        throw new IllegalStateException("The first attempt fails.");
      }
      journal.effect(context.jobId().value(), context.fencingToken(), last, decided);
    }
    return null;
  }
}
