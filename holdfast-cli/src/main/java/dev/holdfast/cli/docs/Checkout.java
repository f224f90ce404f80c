package dev.holdfast.cli.docs;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/** The files of the checkout that the build has put into the jar, named by their paths there. */
final class Checkout {
  /** The page whose sections and links are the navigation. */
  static final String INDEX = "docs/README.md";

  private Checkout() {}

  /** Returns the text of a file, if the jar has it. */
  static Optional<String> read(String file) {
    // A folder is a resource, too, if the classes are not in a jar.
    boolean named = file.contains(".") || file.endsWith("Dockerfile") || file.equals("LICENSE");
    try (InputStream found =
        named ? Checkout.class.getResourceAsStream("checkout/" + file) : null) {
      return found == null
          ? Optional.empty()
          : Optional.of(new String(found.readAllBytes(), UTF_8));
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /** Returns the file that a link in another file points to. */
  static String resolve(String from, String link) {
    return Path.of(from).resolveSibling(link).normalize().toString().replace('\\', '/');
  }

  /** Returns the path under which the site serves a file. */
  static String pathOf(String file) {
    if (file.equals(INDEX)) {
      return "/";
    }
    if (!file.endsWith(".md")) {
      return "/files/" + file;
    }
    String name = file.substring(0, file.length() - ".md".length());
    return name.startsWith("docs/")
        ? name.substring("docs".length())
        : "/" + name.toLowerCase(Locale.ROOT);
  }
}
