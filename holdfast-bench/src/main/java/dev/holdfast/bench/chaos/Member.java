package dev.holdfast.bench.chaos;

import dev.holdfast.bench.chaos.NodeLauncher.Liveness;
import dev.holdfast.bench.harness.BenchException;
import dev.holdfast.cli.database.Address;
import dev.holdfast.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A member of the cluster: a separate network, and a node process that is replaced if it ends. */
final class Member implements AutoCloseable {
  private static final int SECONDS_TO_END = 20;
  private static final Duration BEFORE_REPLACEMENT = Duration.ofMillis(300);

  private final int number;
  private final NodeLauncher launcher;
  private final FaultyProxy gate;
  private final Optional<FakeTime> time;
  private final List<Path> journals = new ArrayList<>();
  private Process process;
  private boolean closed;

  /** The parameters that all members of a cluster share. */
  record Cluster(EmbeddedPostgres server, String database, String schema, Path folder) {}

  Member(int number, Cluster cluster, Optional<FakeTime> time) throws IOException {
    this.number = number;
    this.time = time;
    this.gate = new FaultyProxy(cluster.server.port());
    this.launcher =
        new NodeLauncher(
            new StoreAccess(
                new Address(
                    "jdbc:postgresql://127.0.0.1:%d/%s".formatted(gate.port(), cluster.database),
                    cluster.server.user(),
                    cluster.server.password()),
                cluster.schema,
                false),
            cluster.folder);
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
    Process started =
        launcher.start(
            name,
            Liveness.FAST_FAILOVER,
            environment -> time.ifPresent(own -> own.into(environment)));
    journals.add(launcher.journal(name));
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
