package dev.holdfast.packages.jar;

import dev.holdfast.api.run.TaskModule;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/** Reads and checks the jar of a package without loading it. */
public final class PackageCheck {
  private static final String MODULES = "META-INF/services/" + TaskModule.class.getName();
  private static final int PIECE = 64 * 1024;
  private static final int FREE_OF_RATIO = 1 << 20;
  private static final int LARGEST_KEPT = 1 << 20;

  /**
   * A jar that is in order.
   *
   * @param digest the SHA-256 of the file, as 64 hexadecimal digits
   * @param size the size of the file in bytes
   */
  public record Checked(PackageManifest manifest, String digest, long size) {}

  private final PackageLimits limits;

  public PackageCheck(PackageLimits limits) {
    this.limits = limits;
  }

  /**
   * Checks a jar.
   *
   * @throws InvalidPackageException if it is not in order
   */
  public Checked check(Path jar) throws IOException {
    long size = Files.size(jar);
    if (size > limits.jarBytes()) {
      throw new InvalidPackageException(
          "The jar has %d bytes, more than the limit of %d: remove libraries that it does not need."
              .formatted(size, limits.jarBytes()));
    }
    Contents contents = contents(jar);
    byte[] json = contents.kept().get(PackageManifest.ENTRY);
    if (json == null) {
      throw new InvalidPackageException(
          "The jar has no %s: build it with 'holdfast package build'."
              .formatted(PackageManifest.ENTRY));
    }
    PackageManifest manifest = PackageManifest.parse(json);
    if (!manifest.entries().equals(contents.digest())) {
      throw new InvalidPackageException(
          "%s lies: it was written for other entries than those in the jar. Build the jar with 'holdfast package build', and do not change it afterwards."
              .formatted(PackageManifest.ENTRY));
    }
    return new Checked(manifest, digest(jar), size);
  }

  /** Returns the digest of the entries of a jar that is in order, apart from its manifest. */
  String entryDigest(Path jar) throws IOException {
    return contents(jar).digest();
  }

  /**
   * @param kept the entries that are read, by name
   */
  private record Contents(String digest, Map<String, byte[]> kept) {}

  private Contents contents(Path jar) throws IOException {
    List<JarEntries.Entry> listed = JarEntries.read(jar, limits.entries());
    List<String> problems = EntryRules.problems(listed, Files.size(jar));
    if (!problems.isEmpty()) {
      throw new InvalidPackageException(problems);
    }
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      List<? extends ZipEntry> entries = zip.stream().toList();
      List<String> names = entries.stream().map(ZipEntry::getName).toList();
      if (!names.equals(listed.stream().map(JarEntries.Entry::name).toList())) {
        throw new InvalidPackageException(
            "The entries of the jar can be read in two ways: build it with 'holdfast package"
                + " build'.");
      }
      Contents contents = read(zip, entries);
      checkManifest(contents.kept().get(JarFile.MANIFEST_NAME));
      if (!contents.kept().containsKey(MODULES)) {
        throw new InvalidPackageException(
            "The jar has no %s, which names its modules: add a class that implements %s, and name it there."
                .formatted(MODULES, TaskModule.class.getName()));
      }
      return contents;
    } catch (ZipException | EOFException broken) {
      throw new InvalidPackageException(
          "The jar cannot be read (%s): build it again.".formatted(broken.getMessage()));
    }
  }

  private Contents read(ZipFile zip, List<? extends ZipEntry> entries) throws IOException {
    EntryDigest digest = new EntryDigest();
    Map<String, byte[]> kept = new HashMap<>();
    long left = limits.contentBytes();
    for (ZipEntry entry : entries) {
      if (entry.isDirectory()) {
        continue;
      }
      boolean keeps = isKept(entry.getName());
      ByteArrayOutputStream text = new ByteArrayOutputStream();
      MessageDigest hash = EntryDigest.sha256();
      byte[] piece = new byte[PIECE];
      long size = 0;
      try (InputStream in = zip.getInputStream(entry)) {
        for (int length = in.read(piece); length >= 0; length = in.read(piece)) {
          size += length;
          left -= length;
          checkSize(entry, size, left, keeps);
          hash.update(piece, 0, length);
          if (keeps) {
            text.write(piece, 0, length);
          }
        }
      }
      if (keeps) {
        kept.put(entry.getName(), text.toByteArray());
      }
      digest.add(entry.getName(), hash.digest());
    }
    return new Contents(digest.value(), kept);
  }

  private static boolean isKept(String name) {
    return name.equals(PackageManifest.ENTRY)
        || name.equals(JarFile.MANIFEST_NAME)
        || name.equals(MODULES);
  }

  /** Called while an entry is read: what a jar says about sizes may be wrong. */
  private void checkSize(ZipEntry entry, long size, long left, boolean keeps) {
    if (left < 0) {
      throw new InvalidPackageException(
          "The entries of the jar have more than %d bytes, uncompressed: remove libraries and files that it does not need."
              .formatted(limits.contentBytes()));
    }
    if (size > FREE_OF_RATIO && size / limits.ratio() > Math.max(1, entry.getCompressedSize())) {
      throw new InvalidPackageException(
          "Entry '%s' is more than %d times larger than its compressed form: remove it, or compress it before it is added."
              .formatted(entry.getName(), limits.ratio()));
    }
    if (keeps && size > LARGEST_KEPT) {
      throw new InvalidPackageException(
          "Entry '%s' has more than %d bytes: build the jar with 'holdfast package build'."
              .formatted(entry.getName(), LARGEST_KEPT));
    }
  }

  /** A class loader would follow the attribute to files of the machine. */
  private static void checkManifest(byte @Nullable [] manifest) {
    if (manifest == null) {
      return;
    }
    Attributes main;
    try {
      main = new Manifest(new ByteArrayInputStream(manifest)).getMainAttributes();
    } catch (IOException invalid) {
      throw new InvalidPackageException(
          "The manifest of the jar cannot be read (%s): build it again."
              .formatted(invalid.getMessage()));
    }
    if (main.containsKey(Attributes.Name.CLASS_PATH)) {
      throw new InvalidPackageException(
          "The manifest of the jar has a Class-Path: a package contains all its libraries, so build"
              + " it with 'holdfast package build'.");
    }
  }

  /** Returns the SHA-256 of a file, as 64 hexadecimal digits. */
  public static String digest(Path file) throws IOException {
    MessageDigest hash = EntryDigest.sha256();
    byte[] piece = new byte[PIECE];
    try (InputStream in = Files.newInputStream(file)) {
      for (int length = in.read(piece); length >= 0; length = in.read(piece)) {
        hash.update(piece, 0, length);
      }
    }
    return HexFormat.of().formatHex(hash.digest());
  }
}
