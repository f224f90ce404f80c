package dev.holdfast.server.packages;

import dev.holdfast.packages.child.ChildJvm;
import dev.holdfast.packages.load.Sandbox;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The folders of processes: one for each process, and one with the libraries for all. */
final class ChildFolders implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ChildFolders.class);

  private final Path root;
  private final Path staging;
  private final List<Path> classPath;
  private final AtomicLong copies = new AtomicLong();

  ChildFolders() {
    try {
      root = Files.createTempDirectory("holdfast-children");
      permit(root, "rwx--x--x");
      staging = Files.createDirectory(root.resolve("staging"));
      permit(staging, "rwx------");
      Path lib = Files.createDirectory(root.resolve("lib"));
      classPath = ChildJvm.copyClassPath(lib);
      try (Stream<Path> all = Files.walk(lib)) {
        for (Path path : all.toList()) {
          permit(path, Files.isDirectory(path) ? "rwxr-xr-x" : "rw-r--r--");
        }
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  List<Path> classPath() {
    return classPath;
  }

  /** Creates the folder of a process of a tenant, which no other tenant can read. */
  Path create(int tenant) {
    try {
      Path folder = Files.createTempDirectory(root, "tenant" + tenant + "-");
      own(folder, tenant);
      return folder;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /**
   * Copies a jar into the folder of a process, which deletes the copy when it unloads it. Each copy
   * has another name: a version may be loaded again before its earlier copy is deleted.
   */
  Path give(Path jar, Path folder, int tenant) {
    String name = copies.incrementAndGet() + "-" + jar.getFileName();
    Path prepared = staging.resolve(name);
    Path copy = folder.resolve(name);
    try {
      Files.copy(jar, prepared);
      permit(prepared, "r--------");
      own(prepared, tenant);
      // Code of the tenant can replace what is in its folder at any time, for instance by a link to
      // a file of the server: that file would get its owner. So nothing is changed there.
      Files.move(prepared, copy, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException failure) {
      delete(prepared);
      throw new UncheckedIOException(failure);
    }
    return copy;
  }

  private static void own(Path path, int tenant) throws IOException {
    if (Sandbox.ofSystem().otherUser()) {
      int user = Sandbox.userOf(tenant);
      Files.setAttribute(path, "unix:uid", user, LinkOption.NOFOLLOW_LINKS);
      Files.setAttribute(path, "unix:gid", user, LinkOption.NOFOLLOW_LINKS);
    }
  }

  private static void permit(Path path, String permissions) throws IOException {
    if (Files.getFileStore(path).supportsFileAttributeView("posix")) {
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }
  }

  /** Deletes a file, or a folder with all that it contains. */
  void delete(Path path) {
    try {
      FileTrees.delete(path);
    } catch (IOException | UncheckedIOException failure) {
      log.warn("{} could not be deleted: {}", path, failure.toString());
    }
  }

  @Override
  public void close() {
    delete(root);
  }
}
