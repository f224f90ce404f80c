package dev.holdfast.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.LivenessSettings;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Duration;

/**
 * A node with fast failover in a separate process. Its task never checks whether to stop: it
 * sleeps, and only an interrupt prevents its effect. It returns a result in any case.
 */
final class PausedProgram {
  /** A payload. */
  record Nap(Duration length) {}

  static final TaskType<Nap, String> TASK = TaskType.of("test::nap", Nap.class, String.class);
  static final String ID = "paused";

  private PausedProgram() {}

  /**
   * Takes the URL, user and password of a database. For each line that it reads, prints how many
   * writes of former holders were rejected.
   */
  public static void main(String[] args) throws Exception {
    PostgresStore store =
        PostgresStore.connect(
            PostgresSettings.builder(args[0]).user(args[1]).password(args[2]).build());
    SimpleMeterRegistry meters = new SimpleMeterRegistry();
    HoldfastNode.on(store)
        .id(ID)
        .liveness(LivenessSettings.FAST_FAILOVER)
        .meters(meters)
        .handle(
            TASK,
            (nap, context) -> {
              System.out.println("STARTED");
              try {
                Thread.sleep(nap.length());
                System.out.println("EFFECT");
              } catch (InterruptedException stop) {
                System.out.println("INTERRUPTED");
              }
              return "by the paused";
            })
        .start();
    System.out.println(NodeProcess.READY);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    while (in.readLine() != null) {
      var rejected = meters.get("holdfast.stale.writes.rejected").counter().count();
      System.out.println("REJECTED " + (long) rejected);
    }
  }
}
