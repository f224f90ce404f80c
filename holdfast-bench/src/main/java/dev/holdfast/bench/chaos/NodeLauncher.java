package dev.holdfast.bench.chaos;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Starts node processes that log the effects of their tasks.
 *
 * @param folder the folder for attempt logs and log files
 */
public record NodeLauncher(StoreAccess access, Path folder) {

  /** The preset for the timeouts of a node. */
  public enum Liveness {
    DEFAULT,
    FAST_FAILOVER
  }

  /** Returns the attempt log of a node. */
  public Path journal(String name) {
    return folder.resolve(name + ".journal");
  }

  /** Starts a node. Its process ends when its standard input ends. */
  public Process start(String name, Liveness liveness) throws IOException {
    return start(name, liveness, environment -> {});
  }

  Process start(String name, Liveness liveness, Consumer<Map<String, String>> more)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                // Small and quick to start, because many processes share few cores.
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                ChaosNode.class.getName(),
                name,
                journal(name).toString(),
                Instant.now().toString(),
                liveness.name())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve(name + ".log").toFile());
    access.into(builder.environment());
    more.accept(builder.environment());
    return builder.start();
  }
}
