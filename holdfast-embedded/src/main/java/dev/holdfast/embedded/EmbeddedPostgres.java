package dev.holdfast.embedded;

import dev.holdfast.embedded.Postmaster.Running;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL server on this machine that keeps its data in a folder.
 *
 * <pre>{@code
 * try (var server = EmbeddedPostgres.at(Path.of("data")).start()) {
 *   server.createDatabase("orders");
 *   connect(server.jdbcUrl("orders"), server.user(), server.password());
 * }
 * }</pre>
 *
 * <p>The server listens on the loopback address only, requires the password stored in the folder,
 * and flushes each commit to disk. Data, password and port survive restarts.
 *
 * <p><b>Killed programs.</b> If the program is killed, the server keeps running. The next program
 * that uses the folder adopts it, or restarts it if it requests different settings. A server that
 * was killed recovers at the next start.
 *
 * <p><b>Two programs, one folder.</b> The first program starts the server and owns it. The second
 * uses the running server with its current settings and leaves it running on {@link #close()}. When
 * the owner closes, the server stops for both; {@link #restart()} lets the second start it again
 * and own it.
 */
public final class EmbeddedPostgres implements AutoCloseable {

  /** The error "duplicate_database", or, if two sessions create it concurrently, the next one. */
  private static final String DUPLICATE_DATABASE = "42P04";

  private static final String DUPLICATE_KEY = "23505";

  private final ReentrantLock lock = new ReentrantLock();
  private final Options options;
  private final DataFolder folder;
  private final ServerProcess server;
  private final Login login;
  private final Thread exitHook = new Thread(this::close, "holdfast-stop-postgres");
  private @Nullable FileMutex ownership;
  private volatile Running running;
  private boolean closed;

  private EmbeddedPostgres(
      Options options,
      DataFolder folder,
      ServerProcess server,
      Running running,
      @Nullable FileMutex ownership) {
    this.options = options;
    this.folder = folder;
    this.server = server;
    this.login = new Login(Login.SUPERUSER, folder.password());
    this.running = running;
    this.ownership = ownership;
  }

  /** Returns a builder for a server that keeps its data in {@code dataFolder}. */
  public static EmbeddedPostgresBuilder at(Path dataFolder) {
    return new EmbeddedPostgresBuilder(dataFolder);
  }

  /**
   * Returns a builder for a server for tests and benchmarks. It keeps its data in a new folder
   * below the system's temp folder and deletes it on close. The next program that starts a
   * temporary server also deletes the folders left behind by killed programs.
   */
  public static EmbeddedPostgresBuilder temporary() {
    return new EmbeddedPostgresBuilder(null);
  }

  /** Returns the JDBC URL of the database {@code postgres}, which every server has. */
  public String jdbcUrl() {
    return jdbcUrl(Login.MAINTENANCE);
  }

  /** Returns the JDBC URL of a database on this server, whether or not the database exists. */
  public String jdbcUrl(String database) {
    return Login.url(port(), database);
  }

  /** Returns the name of the superuser. */
  public String user() {
    return login.user();
  }

  /** Returns the superuser's password, which was generated when the data folder was created. */
  public String password() {
    return login.password();
  }

  /** Returns the port that the server listens on; {@link #restart()} keeps it. */
  public int port() {
    return running.port();
  }

  /** Returns the process id of the server, for tests that kill it and for log messages. */
  public long pid() {
    return running.pid();
  }

  /** Returns the data folder. */
  public Path dataFolder() {
    return folder.root();
  }

  /** Returns whether this program owns the server and stops it on {@link #close()}. */
  public boolean isOwner() {
    lock.lock();
    try {
      return ownership != null;
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether the server process is running. */
  public boolean isRunning() {
    return server.isRunning();
  }

  /** Connects to a database of this server as the superuser. */
  public Connection connect(String database) throws SQLException {
    return login.connect(port(), database);
  }

  /** Creates a database if it does not exist. */
  public void createDatabase(String name) {
    try (Connection connection = connect(Login.MAINTENANCE);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE \"" + name.replace("\"", "\"\"") + "\"");
    } catch (SQLException e) {
      if (!DUPLICATE_DATABASE.equals(e.getSQLState()) && !DUPLICATE_KEY.equals(e.getSQLState())) {
        throw new EmbeddedPostgresException(
            "Could not create database '" + name + "': " + e.getMessage(), e);
      }
    }
  }

  /**
   * Stops the server with a clean shutdown; {@link #restart()} starts it again.
   *
   * @throws IllegalStateException if it is closed, or another program owns the server
   */
  public void stop() {
    asOwner("stop", () -> server.stop(PgCtl.Mode.FAST));
  }

  /**
   * Kills the server and all its sessions, as a power failure would; {@link #restart()} starts it
   * again. For tests of crash recovery.
   *
   * @throws IllegalStateException if it is closed, or another program owns the server
   */
  public void kill() {
    asOwner("kill", () -> ForcedStop.kill(folder));
  }

  /**
   * Stops the server if it is running, and starts it on the same port.
   *
   * @throws IllegalStateException if it is closed, or another program owns the server
   */
  public void restart() {
    asOwner(
        "restart",
        () -> {
          server.stop(PgCtl.Mode.FAST);
          running = server.bringUp(true, port());
        });
  }

  /**
   * Stops the server if this program owns it: with a clean shutdown, or with an immediate one if
   * that takes longer than the stop limit. Has no effect if already closed.
   */
  @Override
  public void close() {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      unhook();
      if (ownership != null) {
        try (FileMutex owned = ownership;
            FileMutex turn = FileMutex.await(folder.startLock())) {
          server.stop(options.temporary() ? PgCtl.Mode.IMMEDIATE : PgCtl.Mode.FAST);
        }
        ownership = null;
      }
      if (options.temporary()) {
        TemporaryFolders.discard(folder);
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public String toString() {
    return "PostgreSQL in " + folder.root() + " on port " + port();
  }

  static EmbeddedPostgres start(Options options) {
    DataFolder folder =
        DataFolder.open(
            options.dataFolder() == null ? TemporaryFolders.make() : options.dataFolder());
    folder.requireRestored(); // Before the wait for a restore that is running.
    EmbeddedPostgres started;
    try (FileMutex turn = FileMutex.await(folder.startLock())) {
      FileMutex ownership = FileMutex.tryTake(folder.ownerLock()).orElse(null);
      try {
        ServerProcess server = ServerProcess.prepare(folder, options);
        Running running = server.bringUp(ownership != null, options.port());
        started = new EmbeddedPostgres(options, folder, server, running, ownership);
      } catch (RuntimeException e) {
        if (options.temporary()) {
          TemporaryFolders.discard(folder);
        }
        if (ownership != null) {
          ownership.close();
        }
        throw e;
      }
    }
    started.hook();
    return started;
  }

  private void hook() {
    if (!options.stopOnExit()) {
      return;
    }
    try {
      Runtime.getRuntime().addShutdownHook(exitHook);
    } catch (IllegalStateException e) {
      close();
      throw new EmbeddedPostgresException(
          "PostgreSQL in "
              + folder.root()
              + " was stopped, because this program is shutting down: start it earlier.",
          e);
    }
  }

  private void unhook() {
    try {
      Runtime.getRuntime().removeShutdownHook(exitHook);
    } catch (IllegalStateException e) {
      // The JVM is already shutting down; this may be the hook itself.
    }
  }

  private void asOwner(String what, Runnable action) {
    lock.lock();
    try {
      if (closed) {
        throw new IllegalStateException("Cannot " + what + " " + this + ": it is closed.");
      }
      try (FileMutex turn = FileMutex.await(folder.startLock())) {
        if (ownership == null) {
          ownership = FileMutex.tryTake(folder.ownerLock()).orElse(null);
        }
        if (ownership == null) {
          throw new IllegalStateException(
              "Cannot " + what + " " + this + ": another program owns it; do it in that program.");
        }
        action.run();
      }
    } finally {
      lock.unlock();
    }
  }
}
