package dev.holdfast.bench.ha;

import dev.holdfast.bench.harness.BenchException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The programs of the Debian packages that the cluster needs.
 *
 * @param servers the folder with the programs of PostgreSQL
 */
record Installation(Path pgAutoctl, Path servers, Optional<Path> pgBouncer) {
  private static final Path PG_AUTOCTL = Path.of("/usr/bin/pg_autoctl");
  private static final Path POSTGRES = Path.of("/usr/lib/postgresql");
  private static final List<Path> PG_BOUNCER =
      List.of(Path.of("/usr/sbin/pgbouncer"), Path.of("/usr/bin/pgbouncer"));

  /** Returns why there can be no cluster on this machine; empty if there can. */
  static Optional<String> missing() {
    List<String> packages = new ArrayList<>();
    if (!Files.isExecutable(PG_AUTOCTL)) {
      packages.add("pg-auto-failover-cli");
    }
    if (withExtension().isEmpty()) {
      packages.add("postgresql-15-auto-failover");
    }
    return packages.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "skipped: needs the package %s (on Debian: apt-get install %s)"
                .formatted(String.join(" and ", packages), String.join(" ", packages)));
  }

  static Installation find() {
    return new Installation(
        PG_AUTOCTL,
        withExtension().orElseThrow(() -> new BenchException(missing().orElse(""))),
        pgBouncerProgram());
  }

  static Optional<Path> pgBouncerProgram() {
    return PG_BOUNCER.stream().filter(Files::isExecutable).findFirst();
  }

  /** Returns the newest PostgreSQL that has the extension of the monitor. */
  private static Optional<Path> withExtension() {
    if (!Files.isDirectory(POSTGRES)) {
      return Optional.empty();
    }
    try (Stream<Path> versions = Files.list(POSTGRES)) {
      return versions
          .filter(version -> Files.exists(version.resolve("lib/pgautofailover.so")))
          .max(Comparator.comparing(Path::toString))
          .map(version -> version.resolve("bin"));
    } catch (IOException failure) {
      throw new BenchException("Could not list %s: %s".formatted(POSTGRES, failure));
    }
  }

  /** Returns the account that the servers run as: PostgreSQL refuses to run as root. */
  static String account() {
    String user = System.getProperty("user.name");
    return user.equals("root") ? "postgres" : user;
  }

  /** Returns the command line that runs another one as {@link #account}. */
  static List<String> asAccount(List<String> line) {
    return System.getProperty("user.name").equals("root")
        ? Stream.concat(Stream.of("runuser", "-u", account(), "--"), line.stream()).toList()
        : line;
  }
}
