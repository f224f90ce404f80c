package dev.holdfast.bench.ha;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A PgBouncer in front of the server of one machine. */
final class Pooler {
  private final ClusterFolder folder;
  private final Machine machine;
  private final Path program;
  private final Mode mode;
  private final int port;
  private @Nullable Process process;

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

  Pooler(ClusterFolder folder, Machine machine, Path program, Mode mode) throws IOException {
    this.folder = folder;
    this.machine = machine;
    this.program = program;
    this.mode = mode;
    this.port = ClusterFolder.freePort();
  }

  int port() {
    return port;
  }

  Process start() throws IOException {
    String name = "pgbouncer-" + machine.name();
    Path users = folder.write(name + ".users", "\"%s\" \"\"%n".formatted(Machine.USER));
    Path config =
        folder.write(
            name + ".ini",
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
            """
                .formatted(machine.port(), port, users, mode.text()));
    Process started = folder.start(name, List.of(program.toString(), "-q", config.toString()));
    this.process = started;
    return started;
  }

  void stop() {
    if (process != null) {
      ClusterFolder.kill(process);
    }
  }
}
