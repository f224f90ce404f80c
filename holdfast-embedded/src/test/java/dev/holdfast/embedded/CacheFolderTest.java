package dev.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CacheFolderTest {

  private static final OsAccount SELF = new OsAccount(OsAccount.Way.DIRECTLY, "");
  private static final OsAccount OTHER = new OsAccount(OsAccount.Way.RUNUSER, "nobody");

  @Test
  void theFolderBelongsToTheUser() {
    Path home = Path.of(System.getProperty("user.home"));

    assertThat(CacheFolder.usual(SELF, Map.of())).isEqualTo(home.resolve(".cache/holdfast"));
    assertThat(CacheFolder.usual(SELF, Map.of("XDG_CACHE_HOME", "/x")))
        .isEqualTo(Path.of("/x/holdfast"));
  }

  @Test
  void theFolderIsReadableForTheAccountThatRunsTheServer() {
    assertThat(CacheFolder.usual(OTHER, Map.of())).isEqualTo(Path.of("/var/cache/holdfast"));
  }

  @Test
  void aConfiguredFolderIsUsedOrRejected(@TempDir Path temp) throws Exception {
    Path asked = temp.resolve("deep/cache");
    assertThat(CacheFolder.open(asked, SELF)).isEqualTo(asked.toRealPath());

    Path file = Files.createFile(temp.resolve("file"));
    assertThatThrownBy(() -> CacheFolder.open(file.resolve("cache"), SELF))
        .isInstanceOf(EmbeddedPostgresException.class)
        .hasMessageContaining("cacheFolder(...)");
  }

  @Test
  void inASharedTempFolderOnlyAPrivateFolderIsUsed(@TempDir Path temp, @TempDir Path shared)
      throws Exception {
    assumeTrue(Files.getFileStore(temp).supportsFileAttributeView("posix"));
    Path home = temp.resolve("home");
    IOException why = new IOException("read-only");
    Path used = CacheFolder.inTemp(temp, home, why);
    assertThat(used).isEqualTo(CacheFolder.inTemp(temp, home, why)).startsWith(temp.toRealPath());

    // Another user could prepare it so that binaries are unpacked or run where that user can write.
    Files.createSymbolicLink(shared.resolve(used.getFileName().toString()), used);
    assertThatThrownBy(() -> CacheFolder.inTemp(shared, home, why))
        .isInstanceOf(EmbeddedPostgresException.class);
    Files.setPosixFilePermissions(used, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertThatThrownBy(() -> CacheFolder.inTemp(temp, home, why))
        .isInstanceOf(EmbeddedPostgresException.class);
  }
}
