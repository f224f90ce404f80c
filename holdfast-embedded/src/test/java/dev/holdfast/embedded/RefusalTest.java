package dev.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Errors name the value and the remedy. */
@Timeout(120)
class RefusalTest {

  @TempDir private Path temp;

  @Test
  void aDataFolderOfAnotherMajorVersionIsRejectedAndNotChanged() throws Exception {
    Path folder = temp.resolve("data");
    Path version = Files.createDirectories(folder.resolve("pgdata")).resolve("PG_VERSION");
    Files.writeString(version, "17\n");

    assertThatThrownBy(() -> EmbeddedPostgres.at(folder).start())
        .isInstanceOf(EmbeddedPostgresException.class)
        .hasMessageContaining(folder.toRealPath() + " was created by PostgreSQL 17")
        .hasMessageContaining("PostgreSQL 18.6 cannot open it")
        .hasMessageContaining("restore it into an empty folder");
    assertThat(folder.resolve("pgdata")).isDirectoryContaining(version::equals);
  }

  @Test
  void aPortThatIsTakenIsNamed() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();

      assertThatThrownBy(() -> EmbeddedPostgres.at(temp.resolve("data")).port(port).start())
          .isInstanceOf(EmbeddedPostgresException.class)
          .hasMessageContaining("Port " + port + " on 127.0.0.1 is taken");
    }
  }

  @Test
  void aFolderThatCannotBeCreatedIsNamed() throws Exception {
    Path file = Files.createFile(temp.resolve("file"));

    assertThatThrownBy(() -> EmbeddedPostgres.at(file.resolve("data")).start())
        .isInstanceOf(EmbeddedPostgresException.class)
        .hasMessageContaining(file.resolve("data").toString());
    assertThatThrownBy(() -> EmbeddedPostgres.at(file).start())
        .isInstanceOf(EmbeddedPostgresException.class)
        .hasMessageContaining(file + " is not a folder");
  }

  @Test
  void theClusterOfAnotherInstallationIsRejectedAndNotChanged() throws Exception {
    Files.writeString(temp.resolve("PG_VERSION"), "18\n");

    assertThatThrownBy(() -> EmbeddedPostgres.at(temp).start())
        .isInstanceOf(EmbeddedPostgresException.class)
        .hasMessageContaining("created by another PostgreSQL installation");
  }

  @Test
  void aMissingPasswordFileIsReported() throws Exception {
    Path folder = temp.resolve("data");
    Path version = Files.createDirectories(folder.resolve("pgdata")).resolve("PG_VERSION");
    Files.writeString(version, "18\n");

    assertThatThrownBy(() -> EmbeddedPostgres.at(folder).start())
        .isInstanceOf(EmbeddedPostgresException.class)
        .hasMessageContaining("restore the file");
  }

  @Test
  void aServerThatDoesNotStartReportsTheCause() {
    assertThatThrownBy(
            () -> EmbeddedPostgres.temporary().setting("shared_buffers", "plenty").start())
        .isInstanceOf(EmbeddedPostgresException.class)
        .hasMessageContaining("did not start")
        .hasMessageContaining("invalid value for parameter \"shared_buffers\": \"plenty\"");
  }

  @Test
  void aFailedStartReleasesTheFolder() throws Exception {
    Path folder = temp.resolve("data");
    assertThatThrownBy(
            () -> EmbeddedPostgres.at(folder).setting("shared_buffers", "plenty").start())
        .isInstanceOf(EmbeddedPostgresException.class);

    try (EmbeddedPostgres server = EmbeddedPostgres.at(folder).start()) {
      assertThat(server.isOwner()).isTrue();
    }
  }

  @Test
  void settingsThatWouldBreakAGuaranteeAreRejected() {
    EmbeddedPostgresBuilder builder = EmbeddedPostgres.temporary();

    assertThatThrownBy(() -> builder.setting("listen_addresses", "*"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("loopback");
    assertThatThrownBy(() -> builder.setting("port", "5432"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("port(...)");
    assertThatThrownBy(() -> builder.setting("work_mem", "1MB\nfsync = off"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder.setting("Work Mem", "1MB"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder.port(70_000))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("70000");
  }
}
