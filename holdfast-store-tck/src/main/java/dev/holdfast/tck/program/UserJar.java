package dev.holdfast.tck.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.run.TaskModule;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Builds a jar from source text, as a user's build does. */
public final class UserJar {
  private static final String IMPORTS =
      """
      package shop;
      import dev.holdfast.api.run.*;
      import dev.holdfast.api.task.*;
      import dev.holdfast.api.type.*;
      import dev.holdfast.api.workflow.*;
      import java.time.Duration;
      import java.util.*;
      """;

  private final Path folder;
  private final List<Path> sources = new ArrayList<>();
  private final List<String> modules = new ArrayList<>();

  public UserJar(Path folder) {
    this.folder = folder;
  }

  /** Adds a class of the package {@code shop}. */
  public UserJar with(String name, String body) {
    Path file = folder.resolve("src").resolve("shop").resolve(name + ".java");
    write(file, IMPORTS + body);
    sources.add(file);
    return this;
  }

  /** Adds a module of the package {@code shop} and names it as a service. */
  public UserJar module(String name, String members, String configure) {
    modules.add("shop." + name);
    return with(
        name,
        """
        public class %s implements TaskModule {
        %s
          public void configure(Binder binder) {
        %s
          }
        }
        """
            .formatted(name, members, configure));
  }

  /** Names a service that may not exist. */
  public UserJar service(String name) {
    modules.add(name);
    return this;
  }

  /** Compiles the classes into a folder. */
  public Path classes(Path... classPath) {
    Path classes = folder.resolve("classes");
    List<String> path = new ArrayList<>(List.of(System.getProperty("java.class.path")));
    Stream.of(classPath).map(Path::toString).forEach(path::add);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter said = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      Files.createDirectories(classes);
      boolean fine =
          sources.isEmpty()
              || compiler
                  .getTask(
                      said,
                      files,
                      null,
                      List.of(
                          "-proc:none",
                          "-d",
                          classes.toString(),
                          "-cp",
                          String.join(File.pathSeparator, path)),
                      null,
                      files.getJavaFileObjectsFromPaths(sources))
                  .call();
      assertThat(fine).as("%s", said).isTrue();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    if (!modules.isEmpty()) {
      write(
          classes.resolve("META-INF/services").resolve(TaskModule.class.getName()),
          String.join("\n", modules));
    }
    return classes;
  }

  /** Packs the classes into a jar. */
  public String jar(Path... classPath) {
    Path classes = classes(classPath);
    Path jar = folder.resolve(folder.getFileName() + ".jar");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
        Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        out.putNextEntry(new JarEntry(classes.relativize(file).toString().replace('\\', '/')));
        Files.copy(file, out);
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    return jar.toString();
  }

  private static void write(Path file, String text) {
    try {
      Files.createDirectories(file.getParent());
      Files.writeString(file, text);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
