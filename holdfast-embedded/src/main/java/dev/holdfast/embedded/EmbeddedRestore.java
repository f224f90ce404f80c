package dev.holdfast.embedded;

import dev.holdfast.embedded.Postmaster.Running;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Restores a backup into an empty data folder.
 *
 * <p>The database is prepared in a folder inside it, {@code restoring}, and moved to its place at
 * the end. While that folder exists, no server starts in the data folder: a restore that was killed
 * leaves nothing that looks like a database.
 */
public final class EmbeddedRestore {
  private final Path backup;
  private final Path dataFolder;

  private EmbeddedRestore(Path backup, Path dataFolder) {
    this.backup = backup;
    this.dataFolder = dataFolder;
  }

  /**
   * Restores a backup.
   *
   * @param backup a folder that {@link EmbeddedBackup} has written
   * @param dataFolder a folder that is empty or does not exist
   * @param prepare is called with the server, which no other program knows, before the data folder
   *     can be used. If it throws, nothing is restored
   * @throws EmbeddedPostgresException if the backup is damaged, or the data folder is in use or not
   *     empty. Then the data folder is as before
   */
  public static void restore(Path backup, Path dataFolder, Consumer<EmbeddedPostgres> prepare) {
    new EmbeddedRestore(
            backup.toAbsolutePath().normalize(), dataFolder.toAbsolutePath().normalize())
        .run(prepare);
  }

  private void run(Consumer<EmbeddedPostgres> prepare) {
    requireEmpty();
    BackupManifest manifest = BackupManifest.read(backup);
    manifest.check(backup);
    boolean existed = Files.exists(dataFolder);
    DataFolder target = DataFolder.open(dataFolder);
    boolean done = false;
    try {
      requireSpace(manifest);
      try (FileMutex turn = FileMutex.tryTake(target.startLock()).orElseThrow(this::inUse)) {
        requireEmpty(); // Another program may have been faster.
        restore(manifest, target, prepare);
        done = true;
      }
    } catch (IOException e) {
      throw new EmbeddedPostgresException(
          "Could not restore %s into %s (%s): is the disk full? Nothing was restored."
              .formatted(backup, dataFolder, e),
          e);
    } finally {
      if (!done && !existed) {
        discard(dataFolder);
      }
    }
  }

  private void restore(
      BackupManifest manifest, DataFolder target, Consumer<EmbeddedPostgres> prepare)
      throws IOException {
    Path nursery = target.restoring();
    try {
      ClusterCopy.makeFolder(nursery);
    } catch (FileAlreadyExistsException e) {
      throw inUse();
    }
    boolean done = false;
    try {
      copy(manifest, nursery);
      try (EmbeddedPostgres server = EmbeddedPostgres.at(nursery).start()) {
        prepare.accept(server);
      }
      DataFolder prepared = new DataFolder(nursery);
      Files.move(prepared.passwordFile(), target.passwordFile(), StandardCopyOption.ATOMIC_MOVE);
      Files.move(prepared.pgdata(), target.pgdata(), StandardCopyOption.ATOMIC_MOVE);
      FileTrees.flush(target.root());
      done = true;
    } finally {
      if (!done) {
        FileTrees.delete(target.pgdata());
        Files.deleteIfExists(target.passwordFile());
      }
      // Last: until then the data folder cannot be used.
      FileTrees.delete(nursery);
    }
  }

  private void copy(BackupManifest manifest, Path nursery) throws IOException {
    // Also folders that are empty in a backup, without which a server does not start.
    try (Stream<Path> tree = Files.walk(backup.resolve("pgdata"))) {
      for (Path folder : (Iterable<Path>) tree.filter(Files::isDirectory)::iterator) {
        ClusterCopy.makeFolder(nursery.resolve(backup.relativize(folder).toString()));
      }
    }
    ClusterCopy copy = new ClusterCopy(nursery);
    for (BackupManifest.Entry file : manifest.files()) {
      copy.file(backup.resolve(file.path()), file.path());
    }
    if (!copy.copied().equals(manifest.files())) {
      throw new IOException("the backup was changed while it was read");
    }
  }

  private void requireEmpty() {
    if (!Files.exists(dataFolder)) {
      return;
    }
    if (!Files.isDirectory(dataFolder)) {
      throw new EmbeddedPostgresException(
          "%s is not a folder: choose another data folder. Nothing was restored."
              .formatted(dataFolder));
    }
    DataFolder folder = new DataFolder(dataFolder);
    if (folder.initialised() && Postmaster.of(realPath(folder)) instanceof Running running) {
      throw new EmbeddedPostgresException(
          "The data folder %s is in use by a PostgreSQL server (process %d): restore into an empty folder, or stop the server and move its folder away. Nothing was restored."
              .formatted(dataFolder, running.pid()));
    }
    try (Stream<Path> entries = Files.list(dataFolder)) {
      List<String> found =
          entries
              .filter(entry -> !entry.equals(folder.startLock())) // A failed restore leaves it.
              .map(entry -> String.valueOf(entry.getFileName()))
              .sorted()
              .toList();
      if (found.contains(DataFolder.RESTORING)) {
        throw new EmbeddedPostgresException(
            "A restore into %s is running or was interrupted: if it was, delete the contents of the folder and restore again. Nothing was restored."
                .formatted(dataFolder));
      }
      if (!found.isEmpty()) {
        throw new EmbeddedPostgresException(
            "The data folder %s is not empty (it contains %s): restore into an empty folder, or move its contents away. Nothing was restored."
                .formatted(dataFolder, String.join(", ", found)));
      }
    } catch (IOException e) {
      throw new EmbeddedPostgresException(
          "The data folder %s cannot be read (%s): choose another.".formatted(dataFolder, e), e);
    }
  }

  private static Path realPath(DataFolder folder) {
    try {
      return folder.pgdata().toRealPath();
    } catch (IOException e) {
      return folder.pgdata();
    }
  }

  private void requireSpace(BackupManifest manifest) throws IOException {
    long free = Files.getFileStore(dataFolder).getUsableSpace();
    if (free < manifest.bytes()) {
      throw new EmbeddedPostgresException(
          "The disk of %s has %d bytes free, and the backup needs %d: free some space or choose another folder. Nothing was restored."
              .formatted(dataFolder, free, manifest.bytes()));
    }
  }

  private EmbeddedPostgresException inUse() {
    return new EmbeddedPostgresException(
        "The data folder %s is in use by another program that starts a server or restores a backup: choose another folder. Nothing was restored."
            .formatted(dataFolder));
  }

  private static void discard(Path folder) {
    try {
      FileTrees.delete(folder);
    } catch (IOException e) {
      throw new EmbeddedPostgresException(
          "Could not delete %s, which a failed restore has created (%s): delete it."
              .formatted(folder, e),
          e);
    }
  }
}
