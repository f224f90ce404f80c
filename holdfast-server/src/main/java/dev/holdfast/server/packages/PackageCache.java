package dev.holdfast.server.packages;

import dev.holdfast.packages.jar.PackageCheck;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** The jars that this process has read from the database, by digest. */
final class PackageCache implements AutoCloseable {
  private final PackageStore store;
  private final Path folder;

  PackageCache(PackageStore store) {
    this(store, newFolder());
  }

  PackageCache(PackageStore store, Path folder) {
    this.store = store;
    this.folder = folder;
  }

  private static Path newFolder() {
    try {
      return Files.createTempDirectory("holdfast-packages");
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /**
   * Returns the jar of a version.
   *
   * @throws IllegalStateException if what is stored has another digest
   */
  Path jar(StoredPackage version) {
    Path jar = folder.resolve(version.digest() + ".jar");
    try {
      if (!Files.exists(jar)) {
        read(version, jar);
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    return jar;
  }

  private void read(StoredPackage version, Path jar) throws IOException {
    Path fresh = Files.createTempFile(folder, "read", ".jar");
    try {
      store.read(version, fresh);
      String digest = PackageCheck.digest(fresh);
      if (!digest.equals(version.digest())) {
        throw new IllegalStateException(
            "Package %s is stored with the digest %s, but its content has %s: push it again under another version."
                .formatted(version.id(), version.digest(), digest));
      }
      Files.move(fresh, jar);
    } finally {
      Files.deleteIfExists(fresh); // What was not moved is not complete, and is read again later.
    }
  }

  /** Deletes the jar of a version that is not loaded any more. */
  void drop(StoredPackage version) {
    try {
      Files.deleteIfExists(folder.resolve(version.digest() + ".jar"));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  @Override
  public void close() {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
