package dev.holdfast.bench.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.bench.harness.BenchException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What is missing is named, so that a user knows what to install. */
@DisabledOnOs(OS.WINDOWS)
class NodePackagesTest {

  @TempDir private Path folder;

  @Test
  void aMissingNodeJsIsNamed() {
    assertThatThrownBy(this::install)
        .isInstanceOf(BenchException.class)
        .hasMessageStartingWith("Node.js was not found in PATH");
  }

  @Test
  void aMissingNpmIsNamed() throws Exception {
    program("node");

    assertThatThrownBy(this::install)
        .isInstanceOf(BenchException.class)
        .hasMessageStartingWith("npm was not found in PATH");
    assertThat(folder.resolve("holdfast")).doesNotExist();
  }

  private NodePackages install() throws Exception {
    return NodePackages.install(
        Map.of("PATH", folder.toString(), "XDG_CACHE_HOME", folder.toString()));
  }

  private void program(String name) throws Exception {
    Path file = Files.writeString(folder.resolve(name), "");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
  }
}
