package dev.holdfast.embedded;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The data folders of temporary servers, and the cleanup of those left by killed programs. */
final class TemporaryFolders {

  private static final Logger log = LoggerFactory.getLogger(TemporaryFolders.class);
  private static final String PREFIX = "holdfast-postgres-";

  /** A folder younger than this may belong to a program that has not acquired its lock yet. */
  private static final Duration SETTLED = Duration.ofMinutes(1);

  private TemporaryFolders() {}

  /** Creates a new folder, and deletes those of this user that killed programs left behind. */
  static Path make() {
    Path temp = Path.of(System.getProperty("java.io.tmpdir"));
    try {
      Path made = Files.createTempDirectory(temp, PREFIX);
      clearLeftovers(temp, PrivateFolder.likeThatOf(made));
      return made;
    } catch (IOException e) {
      throw new EmbeddedPostgresException(
          "Could not create a folder in "
              + temp
              + " ("
              + e
              + "): set a writable temp folder with -Djava.io.tmpdir=...",
          e);
    }
  }

  /** Stops the server in a folder, if there is one, and deletes the folder. */
  static void discard(DataFolder folder) {
    ForcedStop.end(folder);
    try {
      FileTrees.delete(folder.root());
    } catch (IOException e) {
      log.warn(
          "Could not delete the temporary folder {}; the next temporary server tries again",
          folder.root(),
          e);
    }
  }

  /**
   * Deletes the folders left behind by killed programs. Checks each, because every user can create
   * folders in the temp folder that look like ours.
   */
  static void clearLeftovers(Path temp, PrivateFolder ours) {
    try (DirectoryStream<Path> candidates = Files.newDirectoryStream(temp, PREFIX + "*")) {
      for (Path candidate : candidates) {
        clearLeftover(candidate, ours);
      }
    } catch (IOException e) {
      log.warn(
          "Could not look for temporary servers left in {}; the next temporary server tries again",
          temp,
          e);
    }
  }

  private static void clearLeftover(Path candidate, PrivateFolder ours) {
    try {
      if (!ours.admits(candidate)) {
        return;
      }
      DataFolder folder = new DataFolder(candidate.toRealPath());
      if (!isSettled(folder.ownerLock())) {
        return;
      }
      Optional<FileMutex> ownership = FileMutex.tryTake(folder.ownerLock());
      if (ownership.isEmpty()) {
        return;
      }
      try (FileMutex owned = ownership.get()) {
        if (Postmaster.of(folder.pgdata()) instanceof Postmaster.Running orphan) {
          // The password proves that this is the server of the folder.
          new Login(Login.SUPERUSER, folder.password()).dataDirectory(orphan.port());
        }
        ForcedStop.end(folder);
        if (FileTrees.deleteIfPrivate(folder.root(), ours)) {
          log.info("Deleted the temporary server left by a killed program in {}", folder.root());
        }
      }
    } catch (NoSuchFileException gone) {
      log.debug("Another program has deleted the temporary server in {}", candidate, gone);
    } catch (IOException | SQLException | EmbeddedPostgresException e) {
      log.warn(
          "Could not delete the temporary server left in {}; the next temporary server tries again",
          candidate,
          e);
    }
  }

  private static boolean isSettled(Path lock) throws IOException {
    if (!Files.isRegularFile(lock, NOFOLLOW_LINKS)) {
      return false;
    }
    Instant touched = Files.getLastModifiedTime(lock, NOFOLLOW_LINKS).toInstant();
    return touched.isBefore(Instant.now().minus(SETTLED));
  }
}
