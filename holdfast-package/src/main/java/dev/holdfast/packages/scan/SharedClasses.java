package dev.holdfast.packages.scan;

import java.net.URL;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;

/**
 * Gives code of a class path the classes of Holdfast that this process uses, and no other library
 * of the process: an application must see its own version of those.
 */
public final class SharedClasses extends ClassLoader {
  /** The codec sees only annotations of its own Jackson. */
  private static final List<String> SHARED =
      List.of("org.jspecify.annotations.", "org.slf4j.", "com.fasterxml.jackson.annotation.");

  private final ClassLoader process;
  private final String holdfast;

  private SharedClasses(ClassLoader process, String holdfast) {
    super(getPlatformClassLoader());
    this.process = process;
    this.holdfast = holdfast;
  }

  /** Returns the parent for a class path of a user's own program, which may use all of Holdfast. */
  static SharedClasses ofProgram(ClassLoader process) {
    return new SharedClasses(process, "dev.holdfast.");
  }

  /** Returns the parent for a package, which gets the API and nothing of what runs it. */
  public static SharedClasses ofPackage(ClassLoader process) {
    return new SharedClasses(process, "dev.holdfast.api.");
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    if (name.startsWith(holdfast) || SHARED.stream().anyMatch(name::startsWith)) {
      return process.loadClass(name);
    }
    throw new ClassNotFoundException(name);
  }

  /** Returns none: the modules of the process's own class path are not those of the user. */
  @Override
  protected Enumeration<URL> findResources(String name) {
    return Collections.emptyEnumeration();
  }
}
