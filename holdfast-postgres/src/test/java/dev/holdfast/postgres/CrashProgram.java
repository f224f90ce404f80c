package dev.holdfast.postgres;

import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.LivenessSettings;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** A node in a process that is killed, or that one of its jobs kills. */
final class CrashProgram {
  /** A payload. */
  record Work(Kind kind) {}

  /** What a job does to its process. */
  enum Kind {
    /** Runs until its process is killed. */
    HOLD,
    /** Kills its process while other jobs run. */
    POISON,
    /** Runs for a moment. */
    HARMLESS
  }

  static final TaskType<Work, String> TASK = TaskType.of("test::crash", Work.class, String.class);

  /** The number of jobs that the node runs at once. */
  static final int SLOTS = 50;

  static final Duration TIMEOUT = Duration.ofSeconds(3);

  /** Sweeps as rarely as allowed, so that a recovery that waits for the next sweep is noticed. */
  static final LivenessSettings LIVENESS =
      LivenessSettings.DEFAULT.with(settings ->
          settings
              .heartbeat(Duration.ofMillis(500))
              .timeout(TIMEOUT)
              .sweep(TIMEOUT.minusMillis(1)));

  private CrashProgram() {}

  /** Takes the URL, user and password of a database. */
  public static void main(String[] args) throws Exception {
    PostgresStore store =
        PostgresStore.connect(
            PostgresSettings.builder(args[0]).user(args[1]).password(args[2]).build());
    HoldfastNode.on(store)
        .liveness(LIVENESS)
        .maxConcurrent(SLOTS)
        .handle(TASK, (work, context) -> run(work.kind()))
        .start();
    System.out.println(NodeProcess.READY);
    Thread.currentThread().join();
  }

  private static String run(Kind kind) throws InterruptedException {
    switch (kind) {
      case HOLD -> new CountDownLatch(1).await();
      case POISON -> {
        Thread.sleep(50);
        Runtime.getRuntime().halt(1);
      }
      case HARMLESS -> Thread.sleep(200);
    }
    return "done";
  }
}
