package dev.holdfast.postgres;

import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A PgBouncer in front of the shared server, from the binary of the operating system. */
final class PgBouncer implements AutoCloseable {
  private final Process process;
  private final int port;

  private PgBouncer(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  static Optional<Path> binary() {
    return Stream.of("/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/opt/homebrew/bin/pgbouncer")
        .map(Path::of)
        .filter(Files::isExecutable)
        .findFirst();
  }

  /**
   * @param mode the pool mode, such as transaction
   * @param more further lines of the configuration
   */
  static PgBouncer start(Path folder, TestDatabase database, String mode, String... more)
      throws IOException, InterruptedException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    Path users =
        Files.writeString(
            folder.resolve("users.txt"),
            "\"%s\" \"%s\"%n".formatted(database.user(), database.password()));
    Path config =
        Files.writeString(
            folder.resolve("pgbouncer.ini"),
            """
            [databases]
            * = host=127.0.0.1 port=%d
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = %d
            unix_socket_dir =
            auth_type = scram-sha-256
            auth_file = %s
            pool_mode = %s
            default_pool_size = 5
            %s
            """
                .formatted(
                    SharedServer.server().port(), port, users, mode, String.join("\n", more)));
    List<String> command =
        System.getProperty("user.name").equals("root")
            // PgBouncer refuses to run as root.
            ? List.of(binary().orElseThrow().toString(), "-q", "-u", "nobody", config.toString())
            : List.of(binary().orElseThrow().toString(), "-q", config.toString());
    for (Path path : List.of(folder, users, config)) {
      path.toFile().setReadable(true, false);
      path.toFile().setExecutable(Files.isDirectory(path), false);
    }
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    PgBouncer bouncer = new PgBouncer(process, port);
    bouncer.awaitOpen(folder.resolve("log"));
    return bouncer;
  }

  private void awaitOpen(Path log) throws IOException, InterruptedException {
    for (int i = 0; i < 200; i++) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
        return;
      } catch (IOException notYet) {
        if (!process.isAlive()) {
          break;
        }
        Thread.sleep(50);
      }
    }
    close();
    throw new IOException("pgbouncer does not start: " + Files.readString(log));
  }

  /** Returns the URL of a database through the pooler. */
  String through(String jdbcUrl) {
    return jdbcUrl.replaceFirst("//[^/]*/", "//127.0.0.1:%d/".formatted(port));
  }

  @Override
  public void close() throws InterruptedException {
    process.destroy();
    process.waitFor();
  }
}
