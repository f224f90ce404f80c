package dev.holdfast.packages.jar;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Packs the folders and jars of a class path into one jar. The same content gives the same bytes,
 * and so the same digest.
 */
public final class PackageWriter implements Closeable {
  private static final String SERVICES = "META-INF/services/";

  /** Any time would do; ZIP knows none before. */
  private static final LocalDateTime TIME = LocalDateTime.of(1980, 1, 1, 0, 0);

  /** What a server gives to packages, and what means nothing outside of its own jar. */
  private static final List<String> LEFT_OUT =
      List.of("dev/holdfast/", "org/slf4j/", "org/jspecify/", "META-INF/maven/");

  private final Map<String, Content> entries = new TreeMap<>();
  private final Map<String, Set<String>> services = new TreeMap<>();
  private final List<JarFile> jars = new ArrayList<>();
  private boolean multiRelease;

  private interface Content {
    InputStream open() throws IOException;
  }

  /** Adds what a folder or jar contains, unless an earlier one has an entry of the same name. */
  public PackageWriter add(Path path) throws IOException {
    if (Files.isDirectory(path)) {
      addFolder(path);
    } else {
      addJar(path);
    }
    return this;
  }

  private void addFolder(Path folder) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(folder)) {
      files = all.filter(Files::isRegularFile).toList();
    }
    for (Path file : files) {
      String name = folder.relativize(file).toString().replace('\\', '/');
      add(name, () -> Files.newInputStream(file));
    }
  }

  private void addJar(Path path) throws IOException {
    JarFile jar = new JarFile(path.toFile());
    jars.add(jar);
    multiRelease |= jar.isMultiRelease();
    for (JarEntry entry : Collections.list(jar.entries())) {
      String name = entry.getName();
      if (!entry.isDirectory() && LEFT_OUT.stream().noneMatch(name::startsWith)) {
        add(name, () -> jar.getInputStream(entry));
      }
    }
  }

  private void add(String name, Content content) throws IOException {
    if (name.startsWith(SERVICES)) {
      try (InputStream in = content.open()) {
        new String(in.readAllBytes(), StandardCharsets.UTF_8)
            .lines()
            .map(line -> line.replaceFirst("#.*", "").strip())
            .filter(line -> !line.isEmpty())
            .forEach(services.computeIfAbsent(name, any -> new LinkedHashSet<>())::add);
      }
    } else if (!isOfOneJar(name)) {
      entries.putIfAbsent(name, content);
    }
  }

  private static boolean isOfOneJar(String name) {
    return name.equals(JarFile.MANIFEST_NAME)
        || name.equals(PackageManifest.ENTRY)
        || name.equals("META-INF/INDEX.LIST")
        || name.endsWith("module-info.class")
        || name.matches("META-INF/[^/]+\\.(SF|RSA|DSA|EC)");
  }

  /** Writes a jar without a manifest of a package, to be loaded. */
  public void writePlain(Path jar) throws IOException {
    write(jar, null);
  }

  /**
   * Writes the jar of a package.
   *
   * @param loaded what a load of the plain jar has found
   * @return the jar, checked
   * @throws InvalidPackageException if the jar would not be accepted
   */
  public PackageCheck.Checked write(
      Path jar, PackageId id, PackageContents loaded, PackageLimits limits) throws IOException {
    PackageCheck check = new PackageCheck(limits);
    writePlain(jar);
    String digest = check.entryDigest(jar);
    PackageManifest manifest = new PackageManifest(id, loaded.tasks(), loaded.workflows(), digest);
    write(jar, manifest.toJson());
    return check.check(jar);
  }

  private void write(Path jar, byte @Nullable [] manifest) throws IOException {
    try (OutputStream file = Files.newOutputStream(jar);
        ZipOutputStream out = new ZipOutputStream(file)) {
      String text = "Manifest-Version: 1.0\r\n" + (multiRelease ? "Multi-Release: true\r\n" : "");
      put(out, JarFile.MANIFEST_NAME, (text + "\r\n").getBytes(StandardCharsets.UTF_8));
      if (manifest != null) {
        put(out, PackageManifest.ENTRY, manifest);
      }
      for (Map.Entry<String, Set<String>> service : services.entrySet()) {
        String lines = String.join("\n", service.getValue()) + "\n";
        put(out, service.getKey(), lines.getBytes(StandardCharsets.UTF_8));
      }
      for (Map.Entry<String, Content> entry : entries.entrySet()) {
        try (InputStream in = entry.getValue().open()) {
          put(out, entry.getKey(), in.readAllBytes());
        }
      }
    }
  }

  private static void put(ZipOutputStream out, String name, byte[] content) throws IOException {
    ZipEntry entry = new ZipEntry(name);
    entry.setTimeLocal(TIME);
    out.putNextEntry(entry);
    out.write(content);
    out.closeEntry();
  }

  /** Closes the jars that were added. */
  @Override
  public void close() throws IOException {
    for (JarFile jar : jars) {
      jar.close();
    }
  }
}
