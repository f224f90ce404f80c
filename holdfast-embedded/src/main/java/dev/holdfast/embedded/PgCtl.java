package dev.holdfast.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * PostgreSQL's own starter and stopper. It gives the server a session of its own, so that Ctrl-C in
 * a terminal reaches the program but not the server, which the program may still need to drain.
 */
record PgCtl(DataFolder folder, Binaries binaries, OsAccount account) {

  /** How a server ends. */
  enum Mode {
    /** Ends sessions, writes everything out. */
    FAST,
    /** Ends at once; the next start recovers from the log. */
    IMMEDIATE
  }

  /** What pg_ctl may take beyond the time it was given for waiting. */
  private static final Duration SLACK = Duration.ofSeconds(10);

  /** Starts the server and waits until it takes connections, at most for {@code limit}. */
  Command start(Duration limit) throws IOException {
    // What the server says before its log collector runs.
    Path startup = folder.logs().resolve("startup.log");
    Files.createDirectories(folder.logs());
    Files.deleteIfExists(startup);
    account.takeOver(folder.root());
    return run(limit, "start", "--log=" + startup);
  }

  /** Stops the server and waits until it is gone, at most for {@code limit}. */
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
