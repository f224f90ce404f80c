package dev.holdfast.server.packages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.packages.load.Sandbox;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Code of a tenant that changes its folder while the server works in it. */
@EnabledOnOs(OS.LINUX)
class ChildFoldersTest {
  private static final int TENANT = 7;
  private static final int MANY = 3_000;

  @TempDir private Path outside;
  private Path victim;

  @BeforeEach
  void create() throws IOException {
    victim = Files.writeString(outside.resolve("victim"), "of the server");
    Files.setPosixFilePermissions(victim, PosixFilePermissions.fromString("rw-------"));
  }

  private static int user(Path path) throws IOException {
    return (int) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
  }

  @Test
  void aJarBelongsToItsTenantOnly() throws Exception {
    Assumptions.assumeTrue(Sandbox.ofSystem().otherUser());
    Path jar = Files.writeString(outside.resolve("a.jar"), "a jar");
    try (ChildFolders folders = new ChildFolders()) {
      Path folder = folders.create(TENANT);
      Path copy = folders.give(jar, folder, TENANT);

      assertThat(copy).hasParent(folder).hasContent("a jar");
      assertThat(user(copy)).isEqualTo(Sandbox.userOf(TENANT));
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(copy)))
          .isEqualTo("r--------");
    }
  }

  @Test
  void aTenantThatReplacesAJarByALinkGetsNoFileOfTheServer() throws Exception {
    Assumptions.assumeTrue(Sandbox.ofSystem().otherUser());
    int before = user(victim);
    Path jar = Files.write(outside.resolve("a.jar"), new byte[8 << 20]);
    AtomicBoolean ended = new AtomicBoolean();
    try (ChildFolders folders = new ChildFolders()) {
      Path folder = folders.create(TENANT);
      CompletableFuture<Void> hostile =
          CompletableFuture.runAsync(() -> {
            while (!ended.get()) {
              replaceJars(folder);
            }
          });
      for (int i = 0; i < 50; i++) {
        giveOrFail(folders, jar, folder);
      }
      ended.set(true);
      hostile.join();
    }

    assertThat(user(victim)).isEqualTo(before);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(victim)))
        .isEqualTo("rw-------");
  }

  /** A copy that is replaced while it is made is not found again. */
  private static void giveOrFail(ChildFolders folders, Path jar, Path folder) {
    try {
      Path unused = folders.give(jar, folder, TENANT);
    } catch (UncheckedIOException replaced) {
      assertThat(replaced).hasMessageContaining(folder.toString());
    }
  }

  private void replaceJars(Path folder) {
    try (Stream<Path> all = Files.list(folder)) {
      for (Path path : all.filter(each -> !Files.isSymbolicLink(each)).toList()) {
        Files.delete(path);
        Files.createSymbolicLink(path, victim);
      }
    } catch (IOException raced) {
      return;
    }
  }

  @Test
  void aTenantThatReplacesAFolderByALinkDeletesNothingElsewhere() throws Exception {
    try (ChildFolders folders = new ChildFolders()) {
      Path folder = folders.create(TENANT);
      Path inner = Files.createDirectory(folder.resolve("inner"));
      Files.createFile(inner.resolve("victim"));
      for (int i = 0; i < MANY; i++) {
        Files.createFile(folder.resolve("z" + i));
      }
      CompletableFuture<Void> hostile =
          CompletableFuture.runAsync(() -> {
            while (has(folder, MANY)) {
              Thread.onSpinWait();
            }
            try {
              Files.move(inner, folder.resolve("moved"));
              Files.createSymbolicLink(inner, outside);
            } catch (IOException deleted) {
              return;
            }
          });
      folders.delete(folder);
      hostile.join();
    }

    assertThat(victim).hasContent("of the server");
  }

  private static boolean has(Path folder, int files) {
    for (int i = 0; i < files; i++) {
      if (!Files.exists(folder.resolve("z" + i))) {
        return false;
      }
    }
    return true;
  }

  @Test
  void linksAreDeletedAndNotFollowed() throws Exception {
    try (ChildFolders folders = new ChildFolders()) {
      Path folder = folders.create(TENANT);
      Files.createSymbolicLink(folder.resolve("file"), victim);
      Files.createSymbolicLink(folder.resolve("folder"), outside);

      folders.delete(folder);

      assertThat(folder).doesNotExist();
    }
    assertThat(victim).hasContent("of the server");
  }

  @Test
  void aFolderOfAnyDepthIsDeleted() throws Exception {
    try (ChildFolders folders = new ChildFolders()) {
      Path folder = folders.create(TENANT);
      Path deep = folder;
      for (int i = 0; i < 1_000; i++) {
        deep = Files.createDirectory(deep.resolve("d"));
      }
      Files.createFile(deep.resolve("file"));

      folders.delete(folder);
      folders.delete(folder);

      assertThat(folder).doesNotExist();
    }
  }
}
