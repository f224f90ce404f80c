package dev.holdfast.embedded;

import dev.holdfast.embedded.Postmaster.Running;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL server on this machine, with its data in a folder.
 *
 * <pre>{@code
 * try (var server = EmbeddedPostgres.at(Path.of("data")).start()) {
 *   server.createDatabase("orders");
 *   connect(server.jdbcUrl("orders"), server.user(), server.password());
 * }
 * }</pre>
 *
 * <p>It listens on the loopback address only, asks for a password that is kept in the folder, and
 * writes to disk what it commits. Data, password and port are kept over restarts.
 *
 * <p><b>Killed programs.</b> A server outlives a program that is killed; the next program on the
 * folder adopts it, or starts it anew when it asks for other settings. A server that was killed
 * recovers at the next start.
 *
 * <p><b>Two programs, one folder.</b> The first starts the server and owns it. The second uses the
 * running server as it is, and leaves it running at {@link #close()}. When the owner closes, the
 * server stops for both; {@link #restart()} lets the second bring it back and own it.
 */
public final class EmbeddedPostgres implements AutoCloseable {

  /** "duplicate_database", and what two creators at the same instant get instead. */
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

  /** Begins the description of a server that keeps its data in {@code dataFolder}. */
  public static EmbeddedPostgresBuilder at(Path dataFolder) {
    return new EmbeddedPostgresBuilder(dataFolder);
  }

  /**
   * Begins the description of a server for tests and benches, in a folder of its own below the
   * system's temp folder that is deleted at close. What a killed program left there is cleared away
   * by the next one that starts a temporary server.
   */
  public static EmbeddedPostgresBuilder temporary() {
    return new EmbeddedPostgresBuilder(null);
  }

  /** The address of the database {@code postgres}, which every server has. */
  public String jdbcUrl() {
    return jdbcUrl(Login.MAINTENANCE);
  }

  /** The address of a database on this server, whether or not it exists. */
  public String jdbcUrl(String database) {
    return Login.url(port(), database);
  }

  /** The superuser's name. */
  public String user() {
    return login.user();
  }

  /** The superuser's password, made up when the data folder was made. */
  public String password() {
    return login.password();
  }

  /** The port it listens on; {@link #restart()} keeps it. */
  public int port() {
    return running.port();
  }

  /** The process id of the server, for tests that kill it and for messages to operators. */
  public long pid() {
    return running.pid();
  }

  public Path dataFolder() {
    return folder.root();
  }

  /** Whether this program stops the server at {@link #close()}; false for a guest. */
  public boolean isOwner() {
    lock.lock();
    try {
      return ownership != null;
    } finally {
      lock.unlock();
    }
  }

  public boolean isRunning() {
    return server.isRunning();
  }

  /** Connects as superuser to a database of this server. */
  public Connection connect(String database) throws SQLException {
    return login.connect(port(), database);
  }

  /** Creates a database, unless it exists. */
  public void createDatabase(String name) {
    try (Connection connection = connect(Login.MAINTENANCE);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE \"" + name.replace("\"", "\"\"") + "\"");
    } catch (SQLException e) {
      if (!DUPLICATE_DATABASE.equals(e.getSQLState()) && !DUPLICATE_KEY.equals(e.getSQLState())) {
        throw new EmbeddedPostgresException(
            "Could not create the database '" + name + "' (" + e.getMessage() + ").", e);
      }
    }
  }

  /** Stops the server in order; {@link #restart()} brings it back. Only its owner may. */
  public void stop() {
    asOwner("stop", () -> server.stop(PgCtl.Mode.FAST));
  }

  /**
   * Kills the server with all its sessions, as a power cut would; {@link #restart()} brings it
   * back. For tests of what happens then. Only its owner may.
   */
  public void kill() {
    asOwner("kill", () -> ForcedStop.kill(folder));
  }

  /** Stops the server if it runs, and starts it at the same port. Only its owner may. */
  public void restart() {
    asOwner(
        "restart",
        () -> {
          server.stop(PgCtl.Mode.FAST);
          running = server.bringUp(true, port());
        });
  }

  /**
   * Stops the server if this program owns it: in order, and at once when that takes longer than the
   * stop limit. Does nothing the second time.
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
    return "PostgreSQL in " + folder.root() + " at port " + port();
  }

  static EmbeddedPostgres start(Options options) {
    DataFolder folder =
        DataFolder.open(
            options.dataFolder() == null ? TemporaryFolders.make() : options.dataFolder());
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
          "PostgreSQL in " + folder.root() + " was stopped again: this program is ending.", e);
    }
  }

  private void unhook() {
    try {
      Runtime.getRuntime().removeShutdownHook(exitHook);
    } catch (IllegalStateException e) {
      // The program is ending already, and this may well be the hook.
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
              "Cannot " + what + " " + this + ": another program owns it; do it there.");
        }
        action.run();
      }
    } finally {
      lock.unlock();
    }
  }
}
