package dev.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CacheFolderTest {

  private static final Account SELF = new Account(Account.Way.DIRECTLY, "");
  private static final Account OTHER = new Account(Account.Way.RUNUSER, "nobody");

  @Test
  void itIsTheUsersOwn() {
    Path home = Path.of(System.getProperty("user.home"));

    assertThat(CacheFolder.usual(SELF, Map.of())).isEqualTo(home.resolve(".cache/holdfast"));
    assertThat(CacheFolder.usual(SELF, Map.of("XDG_CACHE_HOME", "/x")))
        .isEqualTo(Path.of("/x/holdfast"));
  }

  @Test
  void itIsReadableForAnotherUserWhoRunsTheServer() {
    assertThat(CacheFolder.usual(OTHER, Map.of())).isEqualTo(Path.of("/var/cache/holdfast"));
  }

  @Test
  void oneThatWasAskedForIsUsedOrRefused(@TempDir Path temp) throws Exception {
    Path asked = temp.resolve("deep/cache");
    assertThat(CacheFolder.open(asked, SELF)).isEqualTo(asked.toRealPath());

    Path file = Files.createFile(temp.resolve("file"));
    assertThatThrownBy(() -> CacheFolder.open(file.resolve("cache"), SELF))
        .isInstanceOf(EmbeddedPostgresException.class)
        .hasMessageContaining("cacheFolder(...)");
  }
}
