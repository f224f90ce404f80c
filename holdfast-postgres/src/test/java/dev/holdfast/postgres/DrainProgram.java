package dev.holdfast.postgres;

import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.node.HoldfastNode;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * A node in a separate process that runs one slow job until a line arrives. The job does not
 * respond to interruption, because it blocks while it reads.
 */
final class DrainProgram {
  /** A payload. */
  record Wait(String until) {}

  static final TaskType<Wait, String> TASK = TaskType.of("test::drain", Wait.class, String.class);

  /** Short enough that a test can see heartbeats after it. */
  static final Duration TIMEOUT = Duration.ofSeconds(3);

  /** Longer than any test takes. */
  static final String LONG_GRACE = "60";

  static final String SHORT_GRACE = "1";

  /** The line that it prints when its node has started to stop. */
  static final String DRAINING = "DRAINING";

  private DrainProgram() {}

  /**
   * Takes the URL, user and password of a database, and the grace time in seconds. The node keeps
   * the process alive.
   */
  public static void main(String[] args) throws Exception {
    PostgresStore store =
        PostgresStore.connect(
            PostgresSettings.builder(args[0]).user(args[1]).password(args[2]).build());
    HoldfastNode node =
        HoldfastNode.on(store)
            .id("draining")
            .shutdownGrace(Duration.ofSeconds(Long.parseLong(args[3])))
            .liveness(settings ->
                settings
                    .heartbeat(Duration.ofMillis(300))
                    .timeout(TIMEOUT)
                    .sweep(Duration.ofSeconds(1)))
            .stopOnSignals()
            .handle(
                TASK,
                (wait, context) -> {
                  System.out.println("STARTED");
                  while (System.in.read() != '\n') {
                    // Until the test sends a line.
                  }
                  return "done";
                })
            .start();
    System.out.println(NodeProcess.READY);
    // A daemon, so that the node alone keeps the process alive.
    Thread.ofPlatform()
        .daemon()
        .start(() -> {
          while (node.isReady()) {
            LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
          }
          System.out.println(DRAINING);
        });
  }
}
