package dev.holdfast.bench.packages;

import bench.sample.SampleModule;
import dev.holdfast.api.run.TaskModule;
import dev.holdfast.bench.harness.BenchException;
import dev.holdfast.packages.jar.PackageContents;
import dev.holdfast.packages.jar.PackageId;
import dev.holdfast.packages.jar.PackageLimits;
import dev.holdfast.packages.jar.PackageWriter;
import dev.holdfast.packages.load.DryLoad;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Builds versions of the package {@code sample} from classes of this program. */
final class SamplePackage implements AutoCloseable {
  private static final List<String> CLASSES =
      List.of("SampleModule.class", "ProcessMemory.class", "Ballast.class");

  private final Path folder;
  private final Path classes;
  private final PackageContents contents;

  SamplePackage() throws IOException, InterruptedException {
    folder = Files.createTempDirectory("holdfast-bench-packages");
    classes = Files.createDirectory(folder.resolve("classes"));
    String home = SampleModule.class.getPackageName().replace('.', '/');
    Path target = Files.createDirectories(classes.resolve(home));
    for (String name : CLASSES) {
      try (InputStream in = SampleModule.class.getResourceAsStream(name)) {
        if (in == null) {
          throw new BenchException("%s/%s is not on the class path.".formatted(home, name));
        }
        Files.copy(in, target.resolve(name));
      }
    }
    Path services = Files.createDirectories(classes.resolve("META-INF/services"));
    Files.writeString(
        services.resolve(TaskModule.class.getName()), SampleModule.class.getName() + "\n");
    Path plain = folder.resolve("plain.jar");
    try (PackageWriter writer = new PackageWriter().add(classes)) {
      writer.writePlain(plain);
    }
    contents = new DryLoad(DryLoad.Settings.DEFAULT).load(plain);
  }

  /**
   * Builds a version and returns its jar.
   *
   * @param dataBytes the size of a resource that cannot be compressed; 0 for none
   */
  byte[] jar(String version, int dataBytes) throws IOException {
    Path jar = folder.resolve("package.jar");
    try (PackageWriter writer = new PackageWriter().add(classes)) {
      if (dataBytes > 0) {
        byte[] data = new byte[dataBytes];
        new Random(version.hashCode()).nextBytes(data);
        Path resources = Files.createDirectories(folder.resolve("resources"));
        Files.write(resources.resolve("data.bin"), data);
        writer.add(resources);
      }
      PackageId id = new PackageId("sample", version);
      var unused = writer.write(jar, id, contents, PackageLimits.DEFAULT);
    }
    return Files.readAllBytes(jar);
  }

  @Override
  public void close() throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
