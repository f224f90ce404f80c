package dev.holdfast.checks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A bug to put into the main code, and the tests that must notice it. {@code mutations/README.md}
 * describes the format.
 *
 * @param what the bug, as a sentence
 * @param file the source that it is in, from the root of the checkout
 * @param original the code to replace; white space does not matter
 * @param replacement what to replace it by
 * @param tests the tests that must fail: {@code Class}, {@code Class/NestedClass} or either with
 *     {@code #method}, in simple names
 */
record Mutation(String what, String file, String original, String replacement, List<String> tests) {

  /** Returns all mutations of this checkout. */
  static List<Mutation> all() {
    try (Stream<Path> files = Files.list(Checkout.root().resolve("holdfast-checks/mutations"))) {
      return files
          .filter(file -> file.toString().endsWith(".txt"))
          .sorted()
          .flatMap(file -> read(file).stream())
          .toList();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static List<Mutation> read(Path file) {
    List<Mutation> mutations = new ArrayList<>();
    for (String entry : text(file).split("(?m)^(?=\\[)", -1)) {
      if (entry.startsWith("[")) {
        mutations.add(parse(entry.lines().toList()));
      }
    }
    return mutations;
  }

  private static Mutation parse(List<String> lines) {
    String title = lines.get(0);
    return new Mutation(
        title.substring(1, title.lastIndexOf(']')),
        String.join("", marked("in ", lines)),
        String.join("\n", marked("- ", lines)),
        String.join("\n", marked("+ ", lines)),
        marked("test ", lines));
  }

  private static List<String> marked(String mark, List<String> lines) {
    return lines.stream()
        .filter(line -> (line + " ").startsWith(mark))
        .map(line -> line.length() < mark.length() ? "" : line.substring(mark.length()))
        .toList();
  }

  Path source() {
    return Checkout.root().resolve(file);
  }

  /** Returns the fully qualified name of the mutated class. */
  String className() {
    return file.replaceFirst(".*/src/main/java/", "")
        .replaceFirst("\\.java$", "")
        .replace('/', '.');
  }

  /** Returns how often the original code occurs in its source; it must be once. */
  long occurrences() {
    return pattern().matcher(text(source())).results().count();
  }

  /** Returns the source with the bug in it. */
  String mutated() {
    return pattern().matcher(text(source())).replaceFirst(Matcher.quoteReplacement(replacement));
  }

  private Pattern pattern() {
    return Pattern.compile(
        Arrays.stream(original.strip().split("\\s+", -1))
            .map(Pattern::quote)
            .collect(Collectors.joining("\\s+")));
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  @Override
  public String toString() {
    return "%s (%s)".formatted(what, source().getFileName());
  }
}
