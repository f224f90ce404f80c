package dev.holdfast.bench.ha;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * A PgBouncer in front of the primary. It has a separate machine, and is pointed to the new primary
 * after a failover, as the failover script of an installation does.
 *
 * <p>One PgBouncer for each server, and a URL with both, would not do: PgBouncer shows new clients
 * the state that a server reported when it first connected to it. The driver would regard a
 * promoted standby as a standby until PgBouncer is restarted.
 */
final class Pooler implements AutoCloseable {
  private static final String NAME = "pgbouncer";

  private final ClusterFolder folder;
  private final Mode mode;
  private final int port;
  private final Process process;

  /** How nodes and clients reach the servers. */
  enum Mode {
    /** Without a pooler. */
    DIRECT,
    /** Through PgBouncer, with a server connection for each client connection. */
    SESSION,
    /** Through PgBouncer, with a server connection for each transaction. */
    TRANSACTION;

    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  Pooler(ClusterFolder folder, Path program, Mode mode, Machine primary) throws IOException {
    this.folder = folder;
    this.mode = mode;
    this.port = ClusterFolder.freePort();
    this.process = folder.start(NAME, List.of(program.toString(), "-q", configure(primary)));
  }

  int port() {
    return port;
  }

  /** Points the pooler to a new primary. */
  void pointTo(Machine primary) throws IOException, InterruptedException {
    configure(primary);
    // PgBouncer reads its configuration again. As root, it is a child of the process we started.
    long pid = process.descendants().findFirst().orElse(process.toHandle()).pid();
    new ProcessBuilder("kill", "-HUP", Long.toString(pid)).start().waitFor();
  }

  private String configure(Machine primary) throws IOException {
    Path users = folder.write(NAME + ".users", "\"%s\" \"\"%n".formatted(Machine.USER));
    return folder
        .write(
            NAME + ".ini",
            """
            [databases]
            * = host=127.0.0.1 port=%d
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = %d
            unix_socket_dir =
            auth_type = trust
            auth_file = %s
            pool_mode = %s
            default_pool_size = 60
            max_client_conn = 200
            ignore_startup_parameters = extra_float_digits
            # After a failed connection to the server; the default of 15 s is the longest part of a
            # failover.
            server_login_retry = 1
            """
                .formatted(primary.port(), port, users, mode.text()))
        .toString();
  }

  @Override
  public void close() {
    ClusterFolder.kill(process);
  }
}
