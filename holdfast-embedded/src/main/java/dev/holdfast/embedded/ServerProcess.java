package dev.holdfast.embedded;

import dev.holdfast.embedded.Postmaster.Absent;
import dev.holdfast.embedded.Postmaster.Dead;
import dev.holdfast.embedded.Postmaster.Mistaken;
import dev.holdfast.embedded.Postmaster.Running;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts and stops the server of one data folder. Callers must hold the folder's start lock. */
final class ServerProcess {

  private static final Logger log = LoggerFactory.getLogger(ServerProcess.class);

  /** How long to retry a failed start if a retry may help. */
  private static final Duration PERSISTENCE = Duration.ofSeconds(10);

  private final DataFolder folder;
  private final Options options;
  private final Binaries binaries;
  private final PgCtl pgCtl;
  private final ReadinessCheck readiness;

  private ServerProcess(
      DataFolder folder, Options options, Binaries binaries, OsAccount account, Login login) {
    this.folder = folder;
    this.options = options;
    this.binaries = binaries;
    this.pgCtl = new PgCtl(folder, binaries, account);
    this.readiness = new ReadinessCheck(folder, login, options.startLimit());
  }

  /** Unpacks the binaries and creates the database cluster, unless that has been done. */
  static ServerProcess prepare(DataFolder folder, Options options) {
    folder.requireRestored();
    OsAccount account = OsAccount.forFolder(folder.root(), folder.ownerOfData());
    account.requireReach(folder.root());
    Binaries binaries = Binaries.in(CacheFolder.open(options.cacheFolder(), account));
    if (!folder.initialised()) {
      new InitDb(folder, binaries, account).run(!options.temporary());
    }
    String made = folder.majorVersion();
    if (!made.equals(binaries.major())) {
      throw new EmbeddedPostgresException(
          """
          The data folder %s was created by PostgreSQL %s, and PostgreSQL %s cannot open it: put \
          the %s.x binaries on the class path, or dump the data with PostgreSQL %s and restore it \
          into an empty folder.\
          """
              .formatted(folder.root(), made, binaries.version(), made, made));
    }
    return new ServerProcess(
        folder, options, binaries, account, new Login(Login.SUPERUSER, folder.password()));
  }

  /**
   * Ensures that the server is running: uses the running one, or starts it.
   *
   * @param owner whether a running server with other settings may be restarted
   * @param port the port to listen on, or 0 for the port of the last start or a free one
   */
  Running bringUp(boolean owner, int port) {
    switch (postmaster()) {
      case Running found -> {
        Optional<Running> ready = readiness.await();
        if (ready.isEmpty()) {
          return bringUp(owner, port); // The server ended while we waited: check again.
        }
        if (mayStay(ready.get(), owner, port)) {
          return ready.get();
        }
        stop(PgCtl.Mode.FAST);
        return start(port, false);
      }
      case Mistaken stale -> {
        forget(stale);
        return start(port, true);
      }
      case Dead dead -> {
        log.info(
            "PostgreSQL in {} (process {}) was killed; starting it with crash recovery",
            folder.root(),
            dead.pid());
        return start(port, true);
      }
      case Absent absent -> {
        return start(port, false);
      }
    }
  }

  /** Stops the server, immediately if that takes longer than the stop limit. */
  void stop(PgCtl.Mode mode) {
    if (!(postmaster() instanceof Running running)) {
      return;
    }
    pgCtl(() -> pgCtl.stop(mode, options.stopLimit()));
    if (isRunning()) {
      log.warn(
          "PostgreSQL in {} did not stop within {} ms; stopping it immediately, it will recover at"
              + " the next start",
          folder.root(),
          options.stopLimit().toMillis());
      pgCtl(() -> pgCtl.stop(PgCtl.Mode.IMMEDIATE, options.stopLimit()));
    }
    // The server deletes postmaster.pid shortly before its process ends.
    if (!Pause.until(() -> isGone(running), options.stopLimit())) {
      throw new EmbeddedPostgresException(
          "PostgreSQL in %s (process %d) does not stop: check the log in %s, and kill the process."
              .formatted(folder.root(), running.pid(), folder.logs()));
    }
  }

  boolean isRunning() {
    return postmaster() instanceof Running;
  }

  Postmaster postmaster() {
    return Postmaster.of(folder.pgdata());
  }

  private boolean mayStay(Running found, boolean owner, int port) {
    boolean asAsked =
        (port == 0 || port == found.port())
            && folder.configuration().equals(Optional.of(settings(found.port())));
    if (owner && !asAsked) {
      log.info("PostgreSQL in {} runs with other settings; restarting it", folder.root());
      return false;
    }
    if (!asAsked) {
      log.warn(
          "PostgreSQL in {} is owned by another program and runs with other settings than requested"
              + " here; using it on port {} with its current settings",
          folder.root(),
          found.port());
    }
    log.info(
        "Using the PostgreSQL server already running in {} on port {}",
        folder.root(),
        found.port());
    return true;
  }

  private Running start(int asked, boolean afterDeath) {
    Instant started = Instant.now();
    Command start = launch(asked);
    while (!start.succeeded()
        && anotherTryMayHelp(asked, afterDeath)
        && Instant.now().isBefore(started.plus(PERSISTENCE))) {
      start = launch(asked);
    }
    Optional<Running> running = start.succeeded() ? readiness.await() : Optional.empty();
    if (running.isEmpty()) {
      throw didNotStart(start, started);
    }
    log.info(
        "Started PostgreSQL {} in {} on port {} in {} ms",
        binaries.version(),
        folder.root(),
        running.get().port(),
        Duration.between(started, Instant.now()).toMillis());
    return running.get();
  }

  private Command launch(int asked) {
    int port = Port.choose(asked, folder.rememberedPort());
    folder.configure(settings(port));
    folder.rememberPort(port);
    return pgCtl(() -> pgCtl.start(options.startLimit()));
  }

  /**
   * Returns whether a retry may help. The sessions of a killed server may take a while to notice,
   * and PostgreSQL does not start before they have ended. Or another program has taken the port
   * before the server could.
   */
  private boolean anotherTryMayHelp(int asked, boolean afterDeath) {
    boolean portWasLost = asked == 0 && folder.rememberedPort().stream().noneMatch(Port::isFree);
    return !isRunning() && (afterDeath || portWasLost);
  }

  private EmbeddedPostgresException didNotStart(Command start, Instant started) {
    return new EmbeddedPostgresException(
        isRunning()
            ? """
            PostgreSQL in %s takes longer than %s to start and is still starting: start it again \
            to wait for it, or raise startLimit(...).
            %s
            %s\
            """
                .formatted(
                    folder.root(), options.startLimit(), start.output(), lastWordsSince(started))
            : """
            PostgreSQL in %s did not start. Its log:
            %s
            %s\
            """
                .formatted(folder.root(), start.output(), lastWordsSince(started)));
  }

  private String lastWordsSince(Instant started) {
    return LogTail.since(started, folder.logs());
  }

  private static boolean isGone(Running running) {
    return ProcessHandle.of(running.pid()).filter(Postmaster::lives).isEmpty();
  }

  private void forget(Mistaken stale) {
    Path file = Postmaster.file(folder.pgdata());
    log.info(
        "PostgreSQL in {} was killed; deleting {}, because process {} is not its server",
        folder.root(),
        file,
        stale.pid());
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new EmbeddedPostgresException("Could not delete " + file + " (" + e + ").", e);
    }
  }

  private String settings(int port) {
    return new ServerSettings(options.settings()).text(binaries, folder, port);
  }

  private Command pgCtl(Run run) {
    try {
      return run.run();
    } catch (IOException e) {
      throw new EmbeddedPostgresException(
          "Could not run pg_ctl for " + folder.root() + " (" + e + ").", e);
    }
  }

  private interface Run {
    Command run() throws IOException;
  }
}
