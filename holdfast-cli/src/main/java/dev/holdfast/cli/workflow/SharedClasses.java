package dev.holdfast.cli.workflow;

import java.net.URL;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;

/**
 * Gives code of a class path the classes of Holdfast that the command itself uses, and no other
 * library of the command: an application must see its own version of those.
 */
final class SharedClasses extends ClassLoader {
  private static final List<String> SHARED =
      List.of("dev.holdfast.", "org.jspecify.annotations.", "org.slf4j.");

  private final ClassLoader command;

  SharedClasses(ClassLoader command) {
    super(getPlatformClassLoader());
    this.command = command;
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    if (SHARED.stream().anyMatch(name::startsWith)) {
      return command.loadClass(name);
    }
    throw new ClassNotFoundException(name);
  }

  /** Returns none: the modules of the command's own class path are not those of the user. */
  @Override
  protected Enumeration<URL> findResources(String name) {
    return Collections.emptyEnumeration();
  }
}
