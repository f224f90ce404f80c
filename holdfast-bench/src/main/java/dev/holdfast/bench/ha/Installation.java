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
  private static final Path SYSTEM = Path.of("/");
  private static final String PG_AUTOCTL = "usr/bin/pg_autoctl";
  private static final String POSTGRES = "usr/lib/postgresql";
  private static final List<String> PG_BOUNCER = List.of("usr/sbin/pgbouncer", "usr/bin/pgbouncer");

  /** Returns why there can be no cluster on this machine; empty if there can. */
  static Optional<String> missing() {
    return missing(SYSTEM);
  }

  /** Returns the programs on this machine. */
  static Installation find() {
    return find(SYSTEM);
  }

  static Optional<String> missing(Path system) {
    List<String> packages = new ArrayList<>();
    if (!Files.isExecutable(system.resolve(PG_AUTOCTL))) {
      packages.add("pg-auto-failover-cli");
    }
    if (withExtension(system).isEmpty()) {
      packages.add("postgresql-15-auto-failover");
    }
    return packages.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "skipped: needs the package %s (on Debian: apt-get install %s)"
                .formatted(String.join(" and ", packages), String.join(" ", packages)));
  }

  static Installation find(Path system) {
    return new Installation(
        system.resolve(PG_AUTOCTL),
        withExtension(system).orElseThrow(() -> new BenchException(missing(system).orElse(""))),
        PG_BOUNCER.stream().map(system::resolve).filter(Files::isExecutable).findFirst());
  }

  /** Returns the newest PostgreSQL that has the extension of the monitor. */
  private static Optional<Path> withExtension(Path system) {
    Path folder = system.resolve(POSTGRES);
    if (!Files.isDirectory(folder)) {
      return Optional.empty();
    }
    try (Stream<Path> versions = Files.list(folder)) {
      return versions
          .filter(version -> Files.exists(version.resolve("lib/pgautofailover.so")))
          .max(Comparator.comparing(Path::toString))
          .map(version -> version.resolve("bin"));
    } catch (IOException failure) {
      throw new BenchException("Could not list %s: %s".formatted(folder, failure));
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
