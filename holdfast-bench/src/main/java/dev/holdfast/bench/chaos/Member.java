package dev.holdfast.bench.chaos;

import dev.holdfast.bench.harness.BenchException;
import dev.holdfast.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A member of the cluster: a separate network, and a node process that is replaced if it ends. */
final class Member implements AutoCloseable {
  private static final int SECONDS_TO_END = 20;
  private static final Duration BEFORE_REPLACEMENT = Duration.ofMillis(300);

  private final int number;
  private final Cluster cluster;
  private final FaultyProxy gate;
  private final Optional<FakeTime> time;
  private final List<Path> journals = new ArrayList<>();
  private Process process;
  private boolean closed;

  /** The parameters that all members of a cluster share. */
  record Cluster(EmbeddedPostgres server, String database, String schema, Path folder) {}

  Member(int number, Cluster cluster, Optional<FakeTime> time) throws IOException {
    this.number = number;
    this.cluster = cluster;
    this.time = time;
    this.gate = new FaultyProxy(cluster.server.port());
    this.process = launch();
  }

  FaultyProxy gate() {
    return gate;
  }

  FakeTime time() {
    return time.orElseThrow();
  }

  /** Returns the attempt logs of all processes of this member. */
  synchronized List<Path> journals() {
    return List.copyOf(journals);
  }

  private Process launch() throws IOException {
    String name = "node-%d-%d".formatted(number, journals.size() + 1);
    Path journal = cluster.folder.resolve(name + ".journal");
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
                cluster.schema,
                name,
                journal.toString(),
                Instant.now().toString())
            .redirectErrorStream(true)
            .redirectOutput(cluster.folder.resolve(name + ".log").toFile());
    Map<String, String> environment = builder.environment();
    environment.put(
        "HOLDFAST_DATABASE_URL",
        "jdbc:postgresql://127.0.0.1:%d/%s".formatted(gate.port(), cluster.database));
    environment.put("HOLDFAST_DATABASE_USER", cluster.server.user());
    environment.put("HOLDFAST_DATABASE_PASSWORD", cluster.server.password());
    time.ifPresent(own -> own.into(environment));
    Process started = builder.start();
    journals.add(journal);
    Thread.ofVirtual().name("watch-" + name).start(() -> watch(started));
    return started;
  }

  /** Starts a new process when the given one has ended. */
  private void watch(Process one) {
    one.onExit().join();
    LockSupport.parkNanos(BEFORE_REPLACEMENT.toNanos());
    synchronized (this) {
      if (closed) {
        return;
      }
      try {
        process = launch();
      } catch (IOException failure) {
        throw new BenchException(
            "Could not restart node %d: %s".formatted(number, failure.getMessage()));
      }
    }
  }

  /** Kills the process; a new one replaces it. */
  synchronized void kill() {
    process.destroyForcibly();
  }

  /** Sends a signal such as {@code STOP} or {@code CONT} to the current process. */
  void signal(String name) throws IOException, InterruptedException {
    long pid;
    synchronized (this) {
      pid = process.pid();
    }
    new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start().waitFor();
  }

  @Override
  public void close() throws IOException {
    Process last;
    synchronized (this) {
      closed = true;
      last = process;
    }
    gate.heal();
    last.getOutputStream().close();
    try {
      if (!last.waitFor(SECONDS_TO_END, TimeUnit.SECONDS)) {
        last.destroyForcibly();
      }
    } catch (InterruptedException impatient) {
      last.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    gate.close();
  }
}
