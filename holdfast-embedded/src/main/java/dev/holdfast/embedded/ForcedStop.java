package dev.holdfast.embedded;

import dev.holdfast.embedded.Postmaster.Running;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Stops a server by signals, without {@code pg_ctl}. */
final class ForcedStop {

  private static final Duration LIMIT = Duration.ofSeconds(10);

  private ForcedStop() {}

  /**
   * Kills a server and all its sessions, as a power failure would, and waits until all are gone.
   */
  static void kill(DataFolder folder) {
    if (!(Postmaster.of(folder.pgdata()) instanceof Running running)) {
      return;
    }
    List<ProcessHandle> processes =
        ProcessHandle.of(running.pid()).stream()
            .flatMap(postmaster -> Stream.concat(Stream.of(postmaster), postmaster.descendants()))
            .toList();
    processes.forEach(ProcessHandle::destroyForcibly);
    if (!Pause.until(() -> processes.stream().noneMatch(Postmaster::lives), LIMIT)) {
      throw new EmbeddedPostgresException(
          "PostgreSQL in %s (process %d) was killed and has not ended within %d s: check whether its disk hangs."
              .formatted(folder.root(), running.pid(), LIMIT.toSeconds()));
    }
  }

  /** Asks a server without clients to stop, and kills it if it does not. */
  static void end(DataFolder folder) {
    if (Postmaster.of(folder.pgdata()) instanceof Running running) {
      ProcessHandle.of(running.pid()).ifPresent(ProcessHandle::destroy);
      Pause.until(() -> !(Postmaster.of(folder.pgdata()) instanceof Running), LIMIT);
      kill(folder);
    }
  }
}
