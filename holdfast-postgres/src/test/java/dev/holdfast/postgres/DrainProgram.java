package dev.holdfast.postgres;

import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.node.HoldfastNode;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** A node in a process of its own, which runs one slow job until it is told to go on. */
final class DrainProgram {
  /** A payload. */
  record Wait(String until) {}

  static final TaskType<Wait, String> TASK = TaskType.of("test::drain", Wait.class, String.class);

  /** Short enough that a test can see whether it beats beyond them. */
  static final Duration TERMS = Duration.ofSeconds(3);

  /** What it says when its node has begun to stop. */
  static final String DRAINING = "DRAINING";

  private DrainProgram() {}

  /** Takes the URL, the user and the password of a database. The node keeps it alive. */
  public static void main(String[] args) throws Exception {
    PostgresStore store =
        PostgresStore.connect(
            PostgresSettings.builder(args[0]).user(args[1]).password(args[2]).build());
    HoldfastNode node =
        HoldfastNode.on(store)
            .id("draining")
            .shutdownGrace(Duration.ofSeconds(60))
            .liveness(settings ->
                settings
                    .heartbeat(Duration.ofMillis(300))
                    .timeout(TERMS)
                    .sweep(Duration.ofSeconds(1)))
            .stopOnSignals()
            .handle(
                TASK,
                (wait, context) -> {
                  System.out.println("BEGUN");
                  while (System.in.read() != '\n') {
                    // Told by a line.
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
