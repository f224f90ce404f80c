package dev.holdfast.bench.ha;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InstallationTest {
  @TempDir private Path system;

  @Test
  void missingPackagesAreNamed() {
    assertThat(Installation.missing(system))
        .contains(
            "skipped: needs the package pg-auto-failover-cli and postgresql-15-auto-failover"
                + " (on Debian: apt-get install pg-auto-failover-cli postgresql-15-auto-failover)");
  }

  @Test
  void aServerWithoutTheExtensionIsNotEnough() throws Exception {
    program("usr/bin/pg_autoctl");
    Files.createDirectories(system.resolve("usr/lib/postgresql/15/bin"));

    assertThat(Installation.missing(system))
        .hasValueSatisfying(sentence ->
            assertThat(sentence)
                .contains("needs the package postgresql-15-auto-failover (")
                .doesNotContain("pg-auto-failover-cli"));
  }

  @Test
  void theNewestServerWithTheExtensionIsUsed() throws Exception {
    program("usr/bin/pg_autoctl");
    program("usr/sbin/pgbouncer");
    Files.createDirectories(system.resolve("usr/lib/postgresql/18/bin"));
    for (String version : new String[] {"14", "15"}) {
      Files.createDirectories(system.resolve("usr/lib/postgresql/%s/lib".formatted(version)));
      Files.createFile(
          system.resolve("usr/lib/postgresql/%s/lib/pgautofailover.so".formatted(version)));
    }

    assertThat(Installation.missing(system)).isEmpty();
    assertThat(Installation.find(system))
        .isEqualTo(
            new Installation(
                system.resolve("usr/bin/pg_autoctl"),
                system.resolve("usr/lib/postgresql/15/bin"),
                Optional.of(system.resolve("usr/sbin/pgbouncer"))));
  }

  private void program(String path) throws Exception {
    Path program = system.resolve(path);
    Files.createDirectories(program.resolveSibling(""));
    Files.createFile(program);
    program.toFile().setExecutable(true);
  }
}
