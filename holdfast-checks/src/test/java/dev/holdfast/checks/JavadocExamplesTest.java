package dev.holdfast.checks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The examples in the comments of all published modules compile. */
class JavadocExamplesTest {
  /** The modules that have a jar that users depend on or run. */
  private static final List<String> PUBLISHED =
      List.of(
          "holdfast-api",
          "holdfast-engine",
          "holdfast-postgres",
          "holdfast-embedded",
          "holdfast-testkit",
          "holdfast-junit",
          "holdfast-store-tck",
          "holdfast-package",
          "holdfast-server",
          "holdfast-worker",
          "holdfast-cli");

  /** The blocks that are not compiled, by class, with the reason. */
  private static final Map<String, String> NOT_JAVA =
      Map.of(
          "JobState", "a drawing of the states and the ways between them",
          "RunState", "a drawing of the states and the ways between them",
          "Advance", "a drawing of the phases of a run",
          "DataFolder", "a list of the files in a folder",
          "Lanes", "a drawing of a graph");

  /** What a test imports; the package of the class that shows the example is imported, too. */
  private static final String IMPORTS =
      """
      import static dev.holdfast.testkit.assertion.HoldfastAssertions.assertThat;
      import static org.assertj.core.api.Assertions.assertThat;
      import java.nio.file.Path;
      import org.junit.jupiter.api.Test;
      import org.junit.jupiter.api.extension.RegisterExtension;
      """;

  private static final Pattern START = Pattern.compile("<pre\\b|\\{@snippet\\b");
  private static final Pattern CODE =
      Pattern.compile("\\G<pre>\\{@code\n(.*?)\n[ *]*}\\s*</pre>", Pattern.DOTALL);
  private static final Pattern ESCAPED =
      Pattern.compile("\\G<pre>\n(.*?)\n[ *]*</pre>", Pattern.DOTALL);
  private static final Pattern SNIPPET =
      Pattern.compile("\\G\\{@snippet *:\n(.*?)\n[ *]*}\n", Pattern.DOTALL);

  @TempDir Path out;

  @TestFactory
  Stream<DynamicTest> theExamplesOfEveryClassCompile() throws IOException {
    return sources().stream()
        .filter(source -> !NOT_JAVA.containsKey(className(source)))
        .filter(source -> !examples(source).isEmpty())
        .map(source ->
            DynamicTest.dynamicTest(
                Checkout.root().relativize(source).toString(),
                () ->
                    Snippets.assertCompile(
                        examples(source),
                        IMPORTS + "import %s.*;\n".formatted(packageName(source)),
                        Snippets.OF_A_COMMENT,
                        out)));
  }

  @Test
  void everyPublishedModuleIsLookedAt() throws IOException {
    Set<String> found = new TreeSet<>();
    for (Path pom : Checkout.filesEndingWith("pom.xml")) {
      String text = read(pom);
      boolean module = pom.getParent().getParent().equals(Checkout.root());
      if (module && text.contains("<artifactId>holdfast-parent") && !isPrivate(text)) {
        found.add(pom.getParent().getFileName().toString());
      }
    }

    assertThat(PUBLISHED).containsExactlyInAnyOrderElementsOf(found);
  }

  private static boolean isPrivate(String pom) {
    return pom.contains("<artifactId>maven-deploy-plugin</artifactId>");
  }

  @Test
  void onlyBlocksThatExistAreLeftOut() throws IOException {
    Set<String> withBlocks = new TreeSet<>();
    for (Path source : sources()) {
      if (START.matcher(read(source)).find()) {
        withBlocks.add(className(source));
      }
    }

    assertThat(withBlocks).containsAll(NOT_JAVA.keySet());
  }

  private static List<Path> sources() throws IOException {
    return Checkout.filesEndingWith(".java").stream()
        .filter(source ->
            PUBLISHED.stream()
                .anyMatch(module ->
                    source.startsWith(Checkout.root().resolve(module).resolve("src/main/java"))))
        .toList();
  }

  /** Returns the examples in the comments of a source. A block of an unknown form fails. */
  private static List<String> examples(Path source) {
    String text = read(source);
    List<String> examples = new ArrayList<>();
    Matcher starts = START.matcher(text);
    while (starts.find()) {
      examples.add(example(text, starts.start(), source).replaceAll("(?m)^ *\\* ?", ""));
    }
    return examples;
  }

  private static String example(String text, int start, Path source) {
    for (Pattern form : List.of(CODE, SNIPPET)) {
      Matcher block = form.matcher(text);
      if (block.find(start)) {
        return block.group(1);
      }
    }
    Matcher escaped = ESCAPED.matcher(text);
    assertThat(escaped.find(start))
        .as("a block in %s that is written as <pre>{@code, {@snippet : or <pre>", source)
        .isTrue();
    return escaped
        .group(1)
        .replace("&#64;", "@")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
  }

  private static String className(Path source) {
    return source.getFileName().toString().replace(".java", "");
  }

  private static String packageName(Path source) {
    return source.getParent().toString().replaceFirst(".*/src/main/java/", "").replace('/', '.');
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
