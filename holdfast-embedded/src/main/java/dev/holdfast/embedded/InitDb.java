package dev.holdfast.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Creates a database cluster in a data folder that has none. */
record InitDb(DataFolder folder, Binaries binaries, OsAccount account) {

  private static final Duration LIMIT = Duration.ofMinutes(5);

  /**
   * Creates the database cluster in a temporary place and then moves it, so that an interrupted one
   * is never taken for a complete one.
   *
   * @param durable whether to wait until all files are on disk
   */
  void run(boolean durable) {
    Path nursery = folder.root().resolve("initdb");
    try {
      FileTrees.delete(nursery);
      Files.createDirectory(nursery);
      folder.ensurePassword();
      account.takeOver(folder.root());
      Path cluster = nursery.resolve("pgdata");
      make(cluster, durable);
      Files.writeString(
          cluster.resolve("postgresql.conf"),
          "\ninclude_if_exists = '" + ServerSettings.FILE + "'\n",
          StandardOpenOption.APPEND);
      Files.move(cluster, folder.pgdata(), StandardCopyOption.ATOMIC_MOVE);
      FileTrees.delete(nursery);
    } catch (IOException e) {
      throw new EmbeddedPostgresException(
          "Could not create a database cluster in "
              + folder.root()
              + " ("
              + e
              + "): is the disk full?",
          e);
    }
  }

  private void make(Path cluster, boolean durable) throws IOException {
    List<String> line =
        new ArrayList<>(
            List.of(
                binaries.program("initdb"),
                "--pgdata=" + cluster,
                "--username=" + Login.SUPERUSER,
                "--pwfile=" + folder.passwordFile(),
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                // Sorts by code point, the same on every machine and with every libc.
                "--locale=C",
                "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8",
                "--no-instructions"));
    if (!durable) {
      line.add("--no-sync");
    }
    Command initdb = Command.run(account.wrap(line), folder.root(), LIMIT);
    if (!initdb.succeeded()) {
      throw new EmbeddedPostgresException(
          "PostgreSQL's initdb, run as "
              + account
              + ", could not create a database cluster in "
              + folder.root()
              + ": check the free disk space and the owner of the folder. Its output:\n"
              + LogTail.endOf(initdb.output()));
    }
  }
}
