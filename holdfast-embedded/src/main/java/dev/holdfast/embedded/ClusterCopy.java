package dev.holdfast.embedded;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Copies the files of a database cluster, of which a server may be writing. What is copied is not
 * consistent by itself: the write-ahead log of the time of the copy makes it so.
 */
final class ClusterCopy {
  /** The folders whose contents a server creates at its start, as for pg_basebackup. */
  private static final Set<String> EMPTY =
      Set.of(
          "pg_replslot",
          "pg_dynshmem",
          "pg_notify",
          "pg_serial",
          "pg_snapshots",
          "pg_stat_tmp",
          "pg_subtrans");

  private static final String LOG = "pg_wal";
  private static final String CONTROL = "pg_control";

  /** How often to read a file that the server may be writing, until it is the same twice. */
  private static final int MOST_READS = 100;

  private final Path backup;
  private final List<BackupManifest.Entry> copied = new ArrayList<>();
  private final byte[] buffer = new byte[1 << 18];

  /**
   * @param backup the folder to copy to
   */
  ClusterCopy(Path backup) {
    this.backup = backup;
  }

  List<BackupManifest.Entry> copied() {
    return copied;
  }

  /**
   * Copies a cluster.
   *
   * @param withLog whether to copy the write-ahead log too, because no server is running
   */
  void cluster(Path pgdata, boolean withLog) throws IOException {
    Files.walkFileTree(
        pgdata,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
              throws IOException {
            String name = pgdata.relativize(folder).toString();
            makeFolder(target(pgdata, folder));
            return EMPTY.contains(name) ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Path path = pgdata.relativize(file);
            if (!attributes.isRegularFile()) {
              throw new EmbeddedPostgresException(
                  "%s is not a regular file, and a backup cannot contain what it leads to: remove the tablespace or link, or back up with pg_basebackup."
                      .formatted(file));
            }
            if (belongs(path, withLog)) {
              copyIfPresent(file, target(pgdata, file));
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure)
              throws IOException {
            return gone(failure);
          }

          @Override
          public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure)
              throws IOException {
            return failure == null ? FileVisitResult.CONTINUE : gone(failure);
          }

          // A running server deletes files, too; its log says so.
          private FileVisitResult gone(IOException failure) throws IOException {
            if (failure instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            throw failure;
          }
        });
  }

  private Path target(Path pgdata, Path source) {
    return backup.resolve("pgdata").resolve(pgdata.relativize(source).toString());
  }

  private static boolean belongs(Path path, boolean withLog) {
    String name = String.valueOf(path.getFileName());
    return (withLog || !path.startsWith(LOG))
        && !name.startsWith("postmaster.")
        && !name.startsWith("pgsql_tmp")
        && !name.equals("pg_internal.init")
        && !name.endsWith(".new");
  }

  static void makeFolder(Path folder) throws IOException {
    if (Files.getFileStore(folder.resolveSibling("")).supportsFileAttributeView("posix")) {
      // The server refuses a folder that others can read.
      Files.createDirectory(
          folder,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } else {
      Files.createDirectory(folder);
    }
  }

  private void copyIfPresent(Path source, Path target) throws IOException {
    if (source.endsWith(CONTROL)) {
      write(target, stable(source));
      return;
    }
    try (InputStream in = Files.newInputStream(source, NOFOLLOW_LINKS)) {
      copy(in, target);
    } catch (NoSuchFileException gone) {
      Files.deleteIfExists(target); // The table was dropped meanwhile.
    }
  }

  /** Reads a small file that is written as a whole, and not in the middle of that. */
  private static byte[] stable(Path source) throws IOException {
    byte[] last = Files.readAllBytes(source);
    for (int i = 0; i < MOST_READS; i++) {
      byte[] next = Files.readAllBytes(source);
      if (Arrays.equals(last, next)) {
        return next;
      }
      last = next;
    }
    throw new IOException(source + " changes all the time");
  }

  /** Copies a file that must exist. */
  void file(Path source, String path) throws IOException {
    try (InputStream in = Files.newInputStream(source, NOFOLLOW_LINKS)) {
      copy(in, backup.resolve(path));
    }
  }

  /** Writes a file that the cluster does not have. */
  void write(Path target, byte[] content) throws IOException {
    try (InputStream in = new ByteArrayInputStream(content)) {
      copy(in, target);
    }
  }

  private void copy(InputStream in, Path target) throws IOException {
    CRC32C checksum = new CRC32C();
    long size = 0;
    try (FileChannel file = FileChannel.open(target, Set.of(CREATE_NEW, WRITE), owner(target));
        OutputStream out = Channels.newOutputStream(file)) {
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        out.write(buffer, 0, read);
        checksum.update(buffer, 0, read);
        size += read;
      }
      file.force(true);
    }
    String path = backup.relativize(target).toString().replace('\\', '/');
    copied.add(new BackupManifest.Entry(path, size, checksum.getValue()));
  }

  private static FileAttribute<?>[] owner(Path target) throws IOException {
    boolean posix =
        Files.getFileStore(target.resolveSibling("")).supportsFileAttributeView("posix");
    return posix
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
        }
        : new FileAttribute<?>[0];
  }
}
