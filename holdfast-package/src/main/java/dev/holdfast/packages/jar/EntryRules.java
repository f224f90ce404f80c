package dev.holdfast.packages.jar;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What entries of a package may be called, and what they may be. */
final class EntryRules {
  private static final int LONGEST = 512;
  private static final int STORED = 0;
  private static final int DEFLATED = 8;
  private static final int UNIX_FILE = 0x8000;
  private static final int UNIX_FOLDER = 0x4000;
  private static final Pattern VERSIONED = Pattern.compile("META-INF/versions/[0-9]+/");
  private static final Pattern DRIVE = Pattern.compile("[A-Za-z]:.*", Pattern.DOTALL);

  /** Classes of the platform and of Holdfast, which a package must not replace. */
  private static final List<String> RESERVED = List.of("dev/holdfast/", "java/", "jdk/", "sun/");

  private EntryRules() {}

  /** Returns what is wrong, at most some of it. */
  static List<String> problems(List<JarEntries.Entry> entries, long jarBytes) {
    List<String> problems = new ArrayList<>();
    Set<String> names = new HashSet<>();
    long compressed = 0;
    for (JarEntries.Entry entry : entries) {
      String problem = problem(entry);
      // A file and a folder of the same name are two things for some programs, and one for others.
      if (problem == null && !names.add(withoutSlash(entry.name()))) {
        problem = "it is there twice";
      }
      if (problem != null && problems.size() < 20) {
        problems.add(
            "Entry '%s' is not allowed: %s. Build the jar with 'holdfast package build'."
                .formatted(printable(entry.name()), problem));
      }
      compressed += entry.compressed();
    }
    if (compressed > jarBytes) {
      problems.add(
          "The entries have %d compressed bytes together, but the jar has %d: its entries overlap."
              .formatted(compressed, jarBytes));
    }
    return problems;
  }

  private static String withoutSlash(String name) {
    return name.endsWith("/") ? name.substring(0, name.length() - 1) : name;
  }

  private static @Nullable String problem(JarEntries.Entry entry) {
    String name = entry.name();
    if (name.isEmpty() || name.length() > LONGEST) {
      return "its name must have 1 to %d characters".formatted(LONGEST);
    }
    if (name.indexOf('\\') >= 0 || name.chars().anyMatch(Character::isISOControl)) {
      return "its name contains a backslash or a control character";
    }
    if (name.startsWith("/") || DRIVE.matcher(name).matches()) {
      return "its name is an absolute path";
    }
    for (String segment : withoutSlash(name).split("/", -1)) {
      if (segment.isEmpty() || segment.equals(".") || segment.equals("..")) {
        return "its name leads out of its folder or is not a plain path";
      }
    }
    if (entry.type() != 0 && entry.type() != UNIX_FILE && entry.type() != UNIX_FOLDER) {
      return "it is a symbolic link or a special file";
    }
    if (entry.encrypted()) {
      return "it is encrypted";
    }
    if (entry.method() != STORED && entry.method() != DEFLATED) {
      return "its compression method %d is not supported".formatted(entry.method());
    }
    return isReserved(name)
        ? "a package must not contain classes of Java or of Holdfast, which the server has itself"
        : null;
  }

  /** Returns whether a name is one of a class or resource that a package must not replace. */
  static boolean isReserved(String name) {
    var versioned = VERSIONED.matcher(name);
    String path = versioned.lookingAt() ? name.substring(versioned.end()) : name;
    return !path.endsWith("/") && RESERVED.stream().anyMatch(path::startsWith);
  }

  private static String printable(String name) {
    String shown = name.length() <= 100 ? name : name.substring(0, 100) + "...";
    return shown
        .chars()
        .map(character -> Character.isISOControl(character) ? '?' : character)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }
}
