package dev.holdfast.checks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.intake.ClientSettings;
import dev.holdfast.engine.node.LivenessSettings;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.postgres.PostgresSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Java in pages and comments compiles, and the files and tests that they name exist. */
class DocumentationTest {
  private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
  private static final Pattern LINK = Pattern.compile("\\]\\((?!http|#)([^)#]+)(#[^)]*)?\\)");
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");
  private static final Pattern TEST =
      Pattern.compile("\\b([A-Z]\\w*(?:Test|Contract))\\b(?:[.#](?!java\\b)(\\w+))?");

  @TempDir Path out;

  private static List<Path> pages() throws IOException {
    return Checkout.filesEndingWith(".md");
  }

  @TestFactory
  Stream<DynamicTest> theJavaOfEveryPageCompiles() throws IOException {
    return pages().stream()
        .filter(page -> JAVA.matcher(read(page)).find())
        .map(page -> DynamicTest.dynamicTest(name(page), () -> assertCompiles(page)));
  }

  @Test
  void noExampleReturnsNull() throws IOException {
    assertThat(pages())
        .allSatisfy(page ->
            assertThat(JAVA.matcher(read(page)).results())
                .noneMatch(block -> block.group(1).contains("return null")));
  }

  @Test
  void everyRelativeLinkHasATarget() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path page : pages()) {
      Matcher links = LINK.matcher(read(page));
      while (links.find()) {
        if (!Files.exists(page.resolveSibling(links.group(1)))) {
          broken.add(name(page) + " -> " + links.group(1));
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  @Test
  void everyTestNamedInTheDocumentationExists() throws IOException {
    Map<String, String> tests = new HashMap<>();
    for (Path source : Checkout.filesEndingWith(".java")) {
      tests.put(source.getFileName().toString().replace(".java", ""), read(source));
    }
    List<String> missing = new ArrayList<>();
    for (Path page : pages()) {
      // Names in commands are checked too: a build that runs a test that does not exist looks
      // green.
      Matcher spans = CODE.matcher(read(page));
      while (spans.find()) {
        Matcher names = TEST.matcher(spans.group(1));
        while (names.find()) {
          String code = tests.get(names.group(1));
          String method = names.group(2);
          if (code == null || (method != null && !code.contains(" " + method + "("))) {
            missing.add(name(page) + " names " + names.group());
          }
        }
      }
    }
    assertThat(missing).isEmpty();
  }

  @Test
  void everyCommandNamedInTheDocumentationExists() throws IOException {
    List<String> wrong = new ArrayList<>();
    int found = 0;
    for (Path page : pages()) {
      for (String line : Commands.namedIn(read(page))) {
        found++;
        Commands.mistake(line).ifPresent(mistake -> wrong.add(name(page) + ": " + mistake));
      }
    }
    assertThat(found).as("commands in pages").isGreaterThan(50);
    assertThat(wrong).isEmpty();
  }

  @Test
  void everySettingIsDocumented() {
    String settings = read(Checkout.root().resolve("docs/settings.md"));
    String cluster = read(Checkout.root().resolve("docs/cluster.md"));
    List<String> missing = new ArrayList<>();
    missing.addAll(unnamed(builderMethods(NodeBuilder.class), settings));
    missing.addAll(unnamed(builderMethods(PostgresSettings.Builder.class), settings));
    missing.addAll(unnamed(builderMethods(ClientSettings.Builder.class), settings));
    missing.addAll(unnamed(builderMethods(LivenessSettings.Builder.class), cluster));

    assertThat(missing).isEmpty();
  }

  /** Returns the setters of builders, which are the methods that return their builder. */
  private static Stream<String> builderMethods(Class<?> builder) {
    return Arrays.stream(builder.getMethods())
        .filter(method -> method.getReturnType() == builder)
        .map(Method::getName);
  }

  /** Returns the settings that are not in the first column of a table. */
  private static List<String> unnamed(Stream<String> settings, String page) {
    return settings
        .distinct()
        .filter(setting ->
            !Pattern.compile("(?m)^\\|[^|]*`%s[`(]".formatted(setting)).matcher(page).find())
        .toList();
  }

  private static String name(Path page) {
    return Checkout.root().relativize(page).toString();
  }

  private static String read(Path page) {
    try {
      return Files.readString(page);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private void assertCompiles(Path page) {
    Snippets.assertCompile(
        JAVA.matcher(read(page)).results().map(block -> block.group(1)).toList(),
        "",
        Snippets.OF_A_PAGE,
        out);
  }
}
