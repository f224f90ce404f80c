package dev.holdfast.cli.packages;

import dev.holdfast.api.HoldfastException;
import dev.holdfast.packages.jar.PackageCheck;
import dev.holdfast.packages.jar.PackageCheck.Checked;
import dev.holdfast.packages.jar.PackageContents;
import dev.holdfast.packages.jar.PackageId;
import dev.holdfast.packages.jar.PackageLimits;
import dev.holdfast.packages.jar.PackageWriter;
import dev.holdfast.packages.load.DryLoad;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/** Builds and checks the jars of packages. */
final class Builder {
  private Builder() {}

  /** Packs a class path. The file appears when it is complete. */
  static Checked build(PackageId id, List<Path> classPath, Path jar)
      throws IOException, InterruptedException {
    for (Path path : classPath) {
      if (!Files.exists(path)) {
        throw new HoldfastException(
            "'%s' does not exist: give folders of classes and jars.".formatted(path));
      }
    }
    Path folder = jar.toAbsolutePath().getParent();
    Files.createDirectories(folder);
    Path fresh = Files.createTempFile(folder, ".holdfast", ".jar");
    try (PackageWriter writer = new PackageWriter()) {
      for (Path path : classPath) {
        writer.add(path);
      }
      writer.writePlain(fresh);
      PackageContents contents = new DryLoad(DryLoad.Settings.DEFAULT).load(fresh);
      Checked checked = writer.write(fresh, id, contents, PackageLimits.DEFAULT);
      Files.move(fresh, jar, StandardCopyOption.REPLACE_EXISTING);
      return checked;
    } finally {
      Files.deleteIfExists(fresh);
    }
  }

  /** Checks a jar as a server does. */
  static Checked check(Path jar) throws IOException, InterruptedException {
    Checked checked = new PackageCheck(PackageLimits.DEFAULT).check(jar);
    new DryLoad(DryLoad.Settings.DEFAULT).load(jar).check(checked.manifest());
    return checked;
  }
}
