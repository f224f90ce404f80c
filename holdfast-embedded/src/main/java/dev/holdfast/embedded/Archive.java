package dev.holdfast.embedded;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/** The PostgreSQL archive for one platform, on the class path. */
record Archive(URL location) {

  private static final Set<PosixFilePermission> RUNNABLE =
      PosixFilePermissions.fromString("rwxr-xr-x");
  private static final Set<PosixFilePermission> READABLE =
      PosixFilePermissions.fromString("rw-r--r--");

  static Archive forPlatform(Platform platform) {
    URL location = Archive.class.getResource("/" + platform.archive());
    if (location == null) {
      throw new EmbeddedPostgresException(
          "PostgreSQL for this platform ("
              + platform.archive()
              + ") is not on the class path: add "
              + platform.artifact()
              + ", or use your own PostgreSQL server instead.");
    }
    return new Archive(location);
  }

  /**
   * Returns a checksum that identifies this archive. The jar's directory already contains it;
   * reading 15 to 70 MB through a digest would take longer than starting the server.
   */
  String checksum() throws IOException {
    URLConnection connection = location.openConnection();
    if (connection instanceof JarURLConnection jar && jar.getJarEntry().getCrc() >= 0) {
      return "%08x".formatted(jar.getJarEntry().getCrc());
    }
    try (CheckedInputStream in = new CheckedInputStream(connection.getInputStream(), new CRC32())) {
      in.transferTo(OutputStream.nullOutputStream());
      return "%08x".formatted(in.getChecksum().getValue());
    }
  }

  /** Unpacks the archive into a folder that does not exist yet. */
  void unpackInto(Path folder) throws IOException {
    boolean posix =
        Files.getFileStore(folder.resolveSibling("")).supportsFileAttributeView("posix");
    try (InputStream packed = new BufferedInputStream(location.openStream(), 1 << 16);
        TarArchiveInputStream tar = new TarArchiveInputStream(new XZInputStream(packed))) {
      for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        Path target = folder.resolve(entry.getName()).normalize();
        if (!target.startsWith(folder)) {
          throw new IOException(
              "The archive " + location + " has an entry outside its root: " + entry.getName());
        }
        unpack(tar, entry, target, posix);
      }
    }
  }

  private static void unpack(
      TarArchiveInputStream tar, TarArchiveEntry entry, Path target, boolean posix)
      throws IOException {
    if (entry.isDirectory()) {
      makeFolder(target, posix);
      return;
    }
    makeFolder(target.resolveSibling("").normalize(), posix);
    if (entry.isSymbolicLink()) {
      Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
      return;
    }
    Files.copy(tar, target);
    if (posix) {
      boolean runnable = (entry.getMode() & 0100) != 0;
      Files.setPosixFilePermissions(target, runnable ? RUNNABLE : READABLE);
    }
  }

  /** Creates a folder readable by all users, whatever the umask: the server may run as another. */
  private static void makeFolder(Path folder, boolean posix) throws IOException {
    if (Files.isDirectory(folder)) {
      return;
    }
    Path parent = folder.getParent();
    if (parent != null) {
      makeFolder(parent, posix);
    }
    Files.createDirectory(folder);
    if (posix) {
      Files.setPosixFilePermissions(folder, RUNNABLE);
    }
  }
}
