package dev.holdfast.checks;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Finds files of this checkout, except those that the build created. */
final class Checkout {

  private static final Set<String> NOT_OURS = Set.of(".git", ".idea", "target");

  private Checkout() {}

  /**
   * Returns the folder that contains all modules. Surefire runs a test in the folder of its module.
   */
  static Path root() {
    return Path.of("").toAbsolutePath().getParent();
  }

  /** Returns the source of a top-level class, found by its simple name. */
  static Optional<Path> sourceOf(String simpleName) throws IOException {
    return filesEndingWith(simpleName + ".java").stream()
        .filter(file -> file.getFileName().toString().equals(simpleName + ".java"))
        .findFirst();
  }

  static List<Path> filesEndingWith(String suffix) throws IOException {
    var found = new ArrayList<Path>();
    Files.walkFileTree(
        root(),
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes) {
            return NOT_OURS.contains(dir.getFileName().toString())
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (file.getFileName().toString().endsWith(suffix)) {
              found.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    found.sort(null);
    return found;
  }
}
