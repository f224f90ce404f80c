package dev.holdfast.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * Runs PostgreSQL's {@code pg_ctl}. It starts the server in a separate process session, so that
 * Ctrl-C in a terminal reaches the program but not the server, which the program may need for
 * draining.
 */
record PgCtl(DataFolder folder, Binaries binaries, OsAccount account) {

  /** How the server is stopped. */
  enum Mode {
    /** Terminates the sessions and writes a checkpoint. */
    FAST,
    /** Stops immediately; the next start recovers from the write-ahead log. */
    IMMEDIATE
  }

  /** How long pg_ctl may take beyond its own timeout. */
  private static final Duration SLACK = Duration.ofSeconds(10);

  /** Starts the server and waits until it accepts connections, at most for {@code limit}. */
  Command start(Duration limit) throws IOException {
    // Receives what the server logs before its log collector runs.
    Path startup = folder.logs().resolve("startup.log");
    Files.createDirectories(folder.logs());
    Files.deleteIfExists(startup);
    account.takeOver(folder.root());
    return run(limit, "start", "--log=" + startup);
  }

  /** Stops the server and waits until it has stopped, at most for {@code limit}. */
  Command stop(Mode mode, Duration limit) throws IOException {
    return run(
        limit,
        "stop",
        switch (mode) {
          case FAST -> "--mode=fast";
          case IMMEDIATE -> "--mode=immediate";
        });
  }

  private Command run(Duration limit, String... words) throws IOException {
    List<String> line =
        Stream.concat(
                Stream.of(
                    binaries.program("pg_ctl"),
                    "--pgdata=" + folder.pgdata(),
                    "--wait",
                    "--timeout=" + Math.max(1, limit.toSeconds())),
                Stream.of(words))
            .toList();
    return Command.run(account.wrap(line), folder.root(), limit.plus(SLACK));
  }
}
