package dev.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.embedded.Postmaster.Absent;
import dev.holdfast.embedded.Postmaster.Dead;
import dev.holdfast.embedded.Postmaster.Mistaken;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whether a server is running, according to the postmaster.pid that it may have left behind. */
@Timeout(120)
class PostmasterTest {

  @TempDir private Path pgdata;

  @Test
  void noFileMeansNoServer() {
    assertThat(Postmaster.of(pgdata)).isEqualTo(new Absent());
  }

  @Test
  void aFileWithoutAProcessMeansADeadServer() throws Exception {
    Process ended = new ProcessBuilder("true").start();
    ended.waitFor();
    leave(ended.pid());

    assertThat(Postmaster.of(pgdata)).isEqualTo(new Dead(ended.pid()));
  }

  @Test
  void aFileThatNamesAnotherProgramIsIgnored() throws Exception {
    long myself = ProcessHandle.current().pid();
    leave(myself);

    assertThat(Postmaster.of(pgdata)).isEqualTo(new Mistaken(myself));
  }

  @Test
  void aServerStartsAlthoughAnotherProgramHasThePidOfItsPredecessor(@TempDir Path temp)
      throws Exception {
    Path folder = temp.resolve("data");
    Path file;
    String left;
    try (EmbeddedPostgres server = EmbeddedPostgres.at(folder).start()) {
      file = Postmaster.file(server.dataFolder().resolve("pgdata"));
      left = Files.readString(file);
    }
    // As in a container that restarts: the same small process ids, other programs.
    Files.writeString(
        file, left.replaceFirst("\\d+", Long.toString(ProcessHandle.current().pid())));

    try (EmbeddedPostgres server = EmbeddedPostgres.at(folder).start()) {
      assertThat(Rows.read(server, "SELECT 1")).isEqualTo("1");
    }
  }

  @Test
  void aCopyOfARunningServersFolderIsASeparateServer(@TempDir Path temp) throws Exception {
    try (EmbeddedPostgres original = EmbeddedPostgres.at(temp.resolve("data")).start()) {
      original.stop();
      Path copy = temp.resolve("copy");
      try (var tree = Files.walk(original.dataFolder())) {
        for (Path path : tree.toList()) {
          Path target = copy.resolve(original.dataFolder().relativize(path).toString());
          Files.copy(path, target, StandardCopyOption.COPY_ATTRIBUTES);
        }
      }
      original.restart();
      Files.copy(
          Postmaster.file(original.dataFolder().resolve("pgdata")),
          Postmaster.file(copy.resolve("pgdata")));

      try (EmbeddedPostgres other = EmbeddedPostgres.at(copy).start()) {
        assertThat(other.pid()).isNotEqualTo(original.pid());
        assertThat(other.port()).isNotEqualTo(original.port());
        assertThat(other.password()).isEqualTo(original.password());
      }
      assertThat(original.isRunning()).isTrue();
    }
  }

  private void leave(long pid) throws Exception {
    Files.writeString(
        Postmaster.file(pgdata), pid + "\n" + pgdata + "\n1794778791\n15999\n\n127.0.0.1\n");
  }
}
