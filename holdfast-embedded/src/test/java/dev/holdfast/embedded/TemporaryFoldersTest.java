package dev.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which folders are deleted in a temp folder that all users share. */
@Timeout(60)
class TemporaryFoldersTest {

  @TempDir private Path temp;
  private PrivateFolder ours;

  @BeforeEach
  void onASystemWithPosixPermissions() throws Exception {
    assumeTrue(Files.getFileStore(temp).supportsFileAttributeView("posix"));
    ours = PrivateFolder.likeThatOf(temp);
  }

  @Test
  void theFolderOfAKilledProgramOfThisUserIsDeleted() throws Exception {
    Path left = leftover(temp.resolve("holdfast-postgres-1"));

    clear();

    assertThat(left).doesNotExist();
  }

  @Test
  void theTargetOfALinkIsNotDeleted() throws Exception {
    Path precious = leftover(temp.resolve("precious"));
    Files.createSymbolicLink(temp.resolve("holdfast-postgres-1"), precious);

    clear();

    assertThat(precious.resolve("pgdata/base")).exists();
  }

  @Test
  void theTargetOfALinkInAFolderIsNotDeleted() throws Exception {
    Path precious = leftover(temp.resolve("precious"));
    Path left = leftover(temp.resolve("holdfast-postgres-1"));
    Files.createSymbolicLink(left.resolve("pgdata/link"), precious);

    clear();

    assertThat(left).doesNotExist();
    assertThat(precious.resolve("pgdata/base")).exists();
  }

  @Test
  void aFolderThatOtherUsersMayEnterIsNotDeleted() throws Exception {
    Path open = leftover(temp.resolve("holdfast-postgres-1"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));

    clear();

    assertThat(open.resolve("pgdata/base")).exists();
  }

  @Test
  void aFolderOfAnotherUserIsNotDeleted() throws Exception {
    assumeTrue(OsAccount.isRoot());
    Path other = leftover(temp.resolve("holdfast-postgres-1"));
    Files.setOwner(
        other,
        temp.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody"));

    clear();

    assertThat(other.resolve("pgdata/base")).exists();
  }

  @Test
  void aFolderThatWasReplacedAfterItWasCheckedIsNotDeleted() throws Exception {
    Path precious = leftover(temp.resolve("precious"));
    Path link = Files.createSymbolicLink(temp.resolve("holdfast-postgres-1"), precious);
    Path open = leftover(temp.resolve("holdfast-postgres-2"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));

    assertThat(FileTrees.deleteIfPrivate(open, ours)).isFalse();
    assertThat(
            org.assertj.core.api.Assertions.catchThrowable(
                () -> FileTrees.deleteIfPrivate(link, ours)))
        .isNotNull();

    assertThat(open.resolve("pgdata/base")).exists();
    assertThat(precious.resolve("pgdata/base")).exists();
  }

  @Test
  void aPipeInPlaceOfAFileDelaysNoStart() throws Exception {
    Path pidFile = leftover(temp.resolve("holdfast-postgres-1")).resolve("pgdata/postmaster.pid");
    Path lock = leftover(temp.resolve("holdfast-postgres-2")).resolve("owner.lock");
    Files.delete(lock);
    run("mkfifo", pidFile.toString());
    run("mkfifo", lock.toString());
    run("touch", "-d", "5 minutes ago", lock.toString());

    clear();

    assertThat(pidFile).exists();
    assertThat(lock).exists();
  }

  private void clear() {
    TemporaryFolders.clearLeftovers(temp, ours);
  }

  private static Path leftover(Path folder) throws Exception {
    Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(PrivateFolder.OWNER_ONLY));
    Files.createDirectories(folder.resolve("pgdata/base"));
    Path lock = Files.createFile(folder.resolve("owner.lock"));
    Files.setLastModifiedTime(lock, longAgo());
    return folder;
  }

  private static FileTime longAgo() {
    return FileTime.from(Instant.now().minus(Duration.ofMinutes(5)));
  }

  private static void run(String... command) throws Exception {
    assertThat(new ProcessBuilder(command).start().waitFor()).isZero();
  }
}
