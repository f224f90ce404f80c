package dev.holdfast.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Path;

/**
 * A program that starts a server, prints a line, and waits for a line that tells it how to end.
 * Tests run it in a separate JVM in order to kill it.
 */
final class ServerProgram {

  static final String READY = "READY ";

  private ServerProgram() {}

  /** Takes the data folder, or "temporary"; whether to stop on exit; and the cache folder. */
  public static void main(String[] args) throws Exception {
    EmbeddedPostgresBuilder builder =
        args[0].equals("temporary")
            ? EmbeddedPostgres.temporary()
            : EmbeddedPostgres.at(Path.of(args[0]));
    if (args.length > 2) {
      builder.cacheFolder(Path.of(args[2]));
    }
    EmbeddedPostgres server = builder.stopOnExit(Boolean.parseBoolean(args[1])).start();
    System.out.println(
        READY
            + server.pid()
            + " "
            + server.port()
            + " "
            + server.isOwner()
            + " "
            + server.dataFolder());
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    if ("close".equals(in.readLine())) {
      server.close();
    }
    System.exit(0);
  }
}
