package dev.holdfast.packages.scan;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A class path given by the user, as for {@code java -cp}, with a separate class loader. */
public final class ModulePath implements Closeable {
  private final String text;
  private final URLClassLoader loader;

  /**
   * Opens a class path.
   *
   * @param text jars and folders, separated as in {@code java -cp}; {@code folder/*} stands for all
   *     jars of a folder
   * @throws IllegalArgumentException if an entry does not exist
   */
  public ModulePath(String text) {
    this(text, urls(text), SharedClasses.ofProgram(ModulePath.class.getClassLoader()));
  }

  private ModulePath(String text, URL[] urls, SharedClasses parent) {
    this.text = text;
    this.loader = new URLClassLoader(urls, parent);
  }

  /**
   * Opens the jar of a package, which sees the API and no other class of this process.
   *
   * @param name what messages call it
   */
  public static ModulePath ofPackage(String name, Path jar) {
    return new ModulePath(
        name, new URL[] {url(jar)}, SharedClasses.ofPackage(ModulePath.class.getClassLoader()));
  }

  private static URL[] urls(String text) {
    List<URL> urls = new ArrayList<>();
    for (String entry : text.split(File.pathSeparator, -1)) {
      if (!entry.isEmpty()) {
        entries(entry).forEach(path -> urls.add(url(path)));
      }
    }
    return urls.toArray(URL[]::new);
  }

  private static List<Path> entries(String entry) {
    boolean all = entry.equals("*") || entry.endsWith("/*") || entry.endsWith(File.separator + "*");
    Path path =
        Path.of(all ? "." + File.separator : "")
            .resolve(all ? entry.substring(0, entry.length() - 1) : entry);
    if (!(all ? Files.isDirectory(path) : Files.exists(path))) {
      throw new IllegalArgumentException(
          "'%s' does not exist: give jars and folders of classes, separated by '%s'."
              .formatted(entry, File.pathSeparator));
    }
    return all ? jars(path) : List.of(path);
  }

  private static List<Path> jars(Path folder) {
    List<Path> jars = new ArrayList<>();
    try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, "*.jar")) {
      found.forEach(jars::add);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
    jars.sort(null);
    return jars;
  }

  private static URL url(Path path) {
    try {
      return path.toUri().toURL();
    } catch (MalformedURLException impossible) {
      throw new IllegalArgumentException(impossible);
    }
  }

  public ClassLoader loader() {
    return loader;
  }

  @Override
  public void close() throws IOException {
    loader.close();
  }

  /** Returns the class path as it was given. */
  @Override
  public String toString() {
    return text;
  }
}
