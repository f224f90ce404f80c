package dev.holdfast.server.packages;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Deletes folders that belong to code of a tenant. That code may still run, and replace a folder by
 * a link to another place while this process, which can delete everything, is about to delete what
 * is in it. So each folder is opened once and everything is deleted relative to that, which follows
 * no link.
 */
final class FileTrees {
  /** Each level has open files while it is deleted. Deeper folders are moved up first. */
  private static final int DEEPEST = 32;

  private static final int AT_ONCE = 1_000;

  /** Code that still runs could create files as fast as they are deleted. */
  private static final Duration AT_MOST = Duration.ofMinutes(2);

  private final SecureDirectoryStream<Path> top;
  private final long end = System.nanoTime() + AT_MOST.toNanos();

  private FileTrees(SecureDirectoryStream<Path> top) {
    this.top = top;
  }

  /** Deletes a file, or a folder with all that it contains, unless there is none. */
  static void delete(Path path) throws IOException {
    Path absolute = path.toAbsolutePath();
    Path parent = absolute.getParent();
    Path name = absolute.getFileName();
    if (parent == null || name == null) {
      throw new IOException("%s is the root of a file system".formatted(path));
    }
    try (DirectoryStream<Path> opened = Files.newDirectoryStream(parent)) {
      if (opened instanceof SecureDirectoryStream<Path> folder) {
        delete(folder, name);
      } else {
        walk(absolute); // Not on Linux, and only there can a tenant have another user.
      }
    } catch (NoSuchFileException gone) {
      return;
    }
  }

  private static void walk(Path top) throws IOException {
    try (Stream<Path> all = Files.walk(top)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }

  private static void delete(SecureDirectoryStream<Path> folder, Path name) throws IOException {
    if (!isFolder(folder, name)) {
      folder.deleteFile(name);
      return;
    }
    try (SecureDirectoryStream<Path> top = open(folder, name)) {
      new FileTrees(top).empty(top, 0);
    }
    folder.deleteDirectory(name);
  }

  private void empty(SecureDirectoryStream<Path> folder, int depth) throws IOException {
    for (List<Path> names = some(folder); !names.isEmpty(); names = some(folder)) {
      for (Path name : names) {
        if (!isFolder(folder, name)) {
          folder.deleteFile(name);
        } else if (depth == DEEPEST) {
          folder.move(name, top, Path.of(UUID.randomUUID().toString()));
        } else {
          try (SecureDirectoryStream<Path> inner = open(folder, name)) {
            empty(inner, depth + 1);
          }
          folder.deleteDirectory(name);
        }
      }
    }
  }

  private List<Path> some(SecureDirectoryStream<Path> folder) throws IOException {
    if (System.nanoTime() - end > 0) {
      throw new IOException("not empty after %d s".formatted(AT_MOST.toSeconds()));
    }
    List<Path> names = new ArrayList<>();
    try (SecureDirectoryStream<Path> again = open(folder, Path.of("."))) {
      Iterator<Path> all = again.iterator();
      while (names.size() < AT_ONCE && all.hasNext()) {
        names.add(all.next().getFileName());
      }
    } catch (DirectoryIteratorException failure) {
      throw failure.getCause();
    }
    return names;
  }

  private static boolean isFolder(SecureDirectoryStream<Path> folder, Path name)
      throws IOException {
    return folder
        .getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
        .readAttributes()
        .isDirectory();
  }

  private static SecureDirectoryStream<Path> open(SecureDirectoryStream<Path> folder, Path name)
      throws IOException {
    return folder.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS);
  }
}
