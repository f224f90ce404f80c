package dev.holdfast.embedded;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.UserPrincipal;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Deletes folders recursively and changes their owner.
 *
 * <p>Symbolic links are never followed, not even a link that replaces a folder while the tree is
 * being walked: where the system supports it, each step starts at an already open folder.
 */
final class FileTrees {

  private FileTrees() {}

  /** An action on a folder or file. A folder is visited after its contents. */
  private interface Step {
    void at(SecureDirectoryStream<Path> parent, Path name, BasicFileAttributes what)
        throws IOException;
  }

  /** Deletes a folder and its contents; links are deleted, never followed. */
  static void delete(Path root) throws IOException {
    if (!Files.exists(root, NOFOLLOW_LINKS)) {
      return;
    }
    try (DirectoryStream<Path> siblings = Files.newDirectoryStream(parentOf(root))) {
      if (siblings instanceof SecureDirectoryStream<Path> secure) {
        walk(secure, root.getFileName(), FileTrees::deleteOne);
        return;
      }
    }
    Files.walkFileTree(root, new Deletion());
  }

  /**
   * Deletes a folder and its contents if it is private. The check is made on the opened folder,
   * which another user can no longer replace.
   *
   * @return whether it was deleted
   */
  static boolean deleteIfPrivate(Path root, PrivateFolder rule) throws IOException {
    try (DirectoryStream<Path> siblings = Files.newDirectoryStream(parentOf(root))) {
      if (siblings instanceof SecureDirectoryStream<Path> secure) {
        Path name = root.getFileName();
        try (SecureDirectoryStream<Path> folder = secure.newDirectoryStream(name, NOFOLLOW_LINKS)) {
          if (!rule.admits(
              folder.getFileAttributeView(PosixFileAttributeView.class).readAttributes())) {
            return false;
          }
          walkInside(folder, FileTrees::deleteOne);
        }
        secure.deleteDirectory(name);
        return true;
      }
    }
    boolean admitted = rule.admits(root);
    if (admitted) {
      Files.walkFileTree(root, new Deletion());
    }
    return admitted;
  }

  /**
   * Changes the owner of a folder and its contents. Changes only folders and regular files, because
   * a link may point anywhere.
   */
  static void give(Path root, UserPrincipal owner) throws IOException {
    try (DirectoryStream<Path> siblings = Files.newDirectoryStream(parentOf(root))) {
      if (siblings instanceof SecureDirectoryStream<Path> secure) {
        walk(
            secure,
            root.getFileName(),
            (parent, name, what) -> {
              if (what.isDirectory() || what.isRegularFile()) {
                view(parent, name, FileOwnerAttributeView.class).setOwner(owner);
              }
            });
        return;
      }
    }
    try (Stream<Path> tree = Files.walk(root)) {
      for (Path path : (Iterable<Path>) tree::iterator) {
        Files.getFileAttributeView(path, FileOwnerAttributeView.class, NOFOLLOW_LINKS)
            .setOwner(owner);
      }
    }
  }

  /** Flushes a file, or the names in a folder where the system supports that, to disk. */
  static void flush(Path path) throws IOException {
    if (Files.isDirectory(path) && !Platform.current().isLinux()) {
      return;
    }
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  private static Path parentOf(Path root) {
    return Objects.requireNonNull(root.toAbsolutePath().getParent(), "a folder with a parent");
  }

  private static void walk(SecureDirectoryStream<Path> parent, Path name, Step step)
      throws IOException {
    BasicFileAttributes what = view(parent, name, BasicFileAttributeView.class).readAttributes();
    if (what.isDirectory()) {
      try (SecureDirectoryStream<Path> inside = parent.newDirectoryStream(name, NOFOLLOW_LINKS)) {
        walkInside(inside, step);
      }
    }
    step.at(parent, name, what);
  }

  private static void walkInside(SecureDirectoryStream<Path> folder, Step step) throws IOException {
    for (Path entry : folder) {
      try {
        walk(folder, entry.getFileName(), step);
      } catch (NoSuchFileException gone) {
        // A server that is shutting down deletes files too.
      }
    }
  }

  private static void deleteOne(
      SecureDirectoryStream<Path> parent, Path name, BasicFileAttributes what) throws IOException {
    if (what.isDirectory()) {
      parent.deleteDirectory(name);
    } else {
      parent.deleteFile(name);
    }
  }

  private static <V extends FileAttributeView> V view(
      SecureDirectoryStream<Path> parent, Path name, Class<V> type) {
    return parent.getFileAttributeView(name, type, NOFOLLOW_LINKS);
  }

  /** For systems without secure directory streams, where each user has a separate temp folder. */
  private static final class Deletion extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure)
        throws IOException {
      if (failure != null) {
        throw failure;
      }
      Files.deleteIfExists(folder);
      return FileVisitResult.CONTINUE;
    }
  }
}
