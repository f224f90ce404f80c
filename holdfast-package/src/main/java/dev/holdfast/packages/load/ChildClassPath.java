package dev.holdfast.packages.load;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.holdfast.api.run.TaskModule;
import dev.holdfast.engine.workflow.Graph;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.slf4j.Logger;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.JsonNode;

/**
 * The class path of a process that loads packages: the API, what checks workflows, and nothing of
 * the server.
 */
public final class ChildClassPath {
  private static final List<Class<?>> NEEDED =
      List.of(
          DryLoadMain.class,
          TaskModule.class,
          Graph.class,
          JsonNode.class,
          JsonParser.class,
          JsonProperty.class,
          Logger.class,
          NullMarked.class);

  private ChildClassPath() {}

  /** Returns the jars and folders, as for {@code java -cp}. */
  public static String text(List<Path> paths) {
    return paths.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
  }

  /** Returns the jars and folders where they are. */
  static List<Path> inPlace() {
    return inPlace(NEEDED);
  }

  /** Returns the jars and folders that have these classes, where they are. */
  public static List<Path> inPlace(List<Class<?>> needed) {
    Set<Path> paths = new LinkedHashSet<>();
    for (Class<?> one : needed) {
      try {
        paths.add(Path.of(one.getProtectionDomain().getCodeSource().getLocation().toURI()));
      } catch (URISyntaxException impossible) {
        throw new IllegalStateException("The location of a class is not an address", impossible);
      }
    }
    return List.copyOf(paths);
  }

  /** Copies the jars and folders into a folder, for a user who may not read them where they are. */
  static List<Path> copiedTo(Path folder) {
    return copiedTo(folder, NEEDED);
  }

  /** Copies the jars and folders that have these classes into a folder. */
  public static List<Path> copiedTo(Path folder, List<Class<?>> needed) {
    try {
      int number = 0;
      for (Path path : inPlace(needed)) {
        copy(path, folder.resolve("lib" + number + (Files.isDirectory(path) ? "" : ".jar")));
        number++;
      }
      try (Stream<Path> copies = Files.list(folder)) {
        return copies.sorted().toList();
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path path : all.toList()) {
        Files.copy(path, to.resolve(from.relativize(path).toString()));
      }
    }
  }
}
