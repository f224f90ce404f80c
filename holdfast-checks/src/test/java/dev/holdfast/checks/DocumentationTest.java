package dev.holdfast.checks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.intake.ClientSettings;
import dev.holdfast.engine.node.LivenessSettings;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.postgres.PostgresSettings;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.net.URI;
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
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
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
  private static final Pattern MEMBERS =
      Pattern.compile("(?s)\\s*(?://[^\n]*\n\\s*)*(record|static|class|interface|enum|@|public).*");

  private static final Pattern EXAMPLE =
      Pattern.compile("<pre>(\\{@code)?\n(.*?)\n[ *]*(?:})?</pre>", Pattern.DOTALL);

  /** Declarations that the blocks may use. {@code World} is for the short examples in comments. */
  private static final String SOURCE =
      """
      import dev.holdfast.api.*;
      import dev.holdfast.api.codec.*;
      import dev.holdfast.api.job.*;
      import dev.holdfast.api.lease.*;
      import dev.holdfast.api.policy.*;
      import dev.holdfast.api.run.*;
      import dev.holdfast.api.schedule.*;
      import dev.holdfast.api.task.*;
      import dev.holdfast.api.trigger.*;
      import dev.holdfast.api.type.*;
      import dev.holdfast.engine.client.*;
      import dev.holdfast.engine.lease.HoldfastLeases;
      import dev.holdfast.engine.node.*;
      import dev.holdfast.engine.store.Store;
      import dev.holdfast.postgres.*;
      import java.sql.Connection;
      import java.time.*;
      import java.util.*;
      import javax.sql.DataSource;
      %s
      abstract class Snippets %s {
      Store store; Holdfast holdfast; HoldfastNode node; DataSource dataSource; JobId id;
      %s}
      abstract class World {
        record Welcome(String email) {}
        record Order(int number) {}
        record Receipt(int number) {}
        record Report(String kind) {}
        interface Mailer { void send(String address); }
        interface Shop { Receipt charge(Order order); }
        static final TaskType<Welcome, Void> WELCOME = TaskType.of("welcome", Welcome.class);
        static final TaskType<Welcome, Void> REINDEX = TaskType.of("reindex", Welcome.class);
        static final TaskType<Report, Void> REPORT = TaskType.of("report", Report.class);
        Leases leases; Locks locks; StartupCoordinator startup; TaskContext context;
        Welcome welcome; List<Welcome> newcomers; Order invoice; Mailer mailer; Shop shop;
        abstract void archive(Order order, long fencingToken);
        abstract void report();
        abstract void dropOrphans();
      }
      """;

  /** The modules whose comments are for users. */
  private static final List<String> PUBLIC =
      List.of("/holdfast-api/src/main/", "/holdfast-engine/src/main/");

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
  void everySettingIsDocumented() {
    String settings = read(Checkout.root().resolve("docs/settings.md"));
    String cluster = read(Checkout.root().resolve("docs/cluster.md"));
    List<String> missing = new ArrayList<>();
    missing.addAll(unnamed(builderMethods(NodeBuilder.class), settings));
    missing.addAll(unnamed(builderMethods(PostgresSettings.Builder.class), settings));
    missing.addAll(unnamed(components(ClientSettings.class), settings));
    missing.addAll(unnamed(builderMethods(LivenessSettings.Builder.class), cluster));

    assertThat(missing).isEmpty();
  }

  /** Returns the setters of builders, which are the methods that return their builder. */
  private static Stream<String> builderMethods(Class<?> builder) {
    return Arrays.stream(builder.getMethods())
        .filter(method -> method.getReturnType() == builder)
        .map(Method::getName);
  }

  private static Stream<String> components(Class<?> settings) {
    return Arrays.stream(settings.getRecordComponents()).map(RecordComponent::getName);
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
    assertCompiles(JAVA.matcher(read(page)).results().map(block -> block.group(1)).toList(), "");
  }

  @TestFactory
  Stream<DynamicTest> theJavaOfEveryCommentCompiles() throws IOException {
    return Checkout.filesEndingWith(".java").stream()
        .filter(source -> PUBLIC.stream().anyMatch(source.toString()::contains))
        .filter(source -> !examples(source).isEmpty())
        .map(source ->
            DynamicTest.dynamicTest(
                name(source), () -> assertCompiles(examples(source), "extends World")));
  }

  /** Returns the examples in the comments of a source. Plain text and drawings are not Java. */
  private static List<String> examples(Path source) {
    List<String> examples = new ArrayList<>();
    Matcher blocks = EXAMPLE.matcher(read(source));
    while (blocks.find()) {
      String text = blocks.group(2).replaceAll("(?m)^ *\\* ?", "");
      if (blocks.group(1) != null) {
        examples.add(text);
      } else if (text.contains("&#64;")) {
        examples.add(text.replace("&#64;", "@").replace("&lt;", "<").replace("&gt;", ">"));
      }
    }
    return examples;
  }

  /** All blocks become one class, so that later ones may use declarations of earlier ones. */
  private void assertCompiles(List<String> blocks, String base) {
    StringBuilder imports = new StringBuilder();
    StringBuilder members = new StringBuilder();
    int number = 0;
    for (String block : blocks) {
      StringBuilder code = new StringBuilder();
      block
          .lines()
          .forEach(line -> (line.startsWith("import ") ? imports : code).append(line).append('\n'));
      if (MEMBERS.matcher(code).matches()) {
        members.append(code);
      } else {
        members.append("void block%d() throws Exception {\n%s}\n".formatted(++number, code));
      }
    }
    String source = SOURCE.formatted(imports, base, members);
    StringWriter said = new StringWriter();
    boolean fine =
        ToolProvider.getSystemJavaCompiler()
            .getTask(
                said,
                null,
                null,
                List.of(
                    "-proc:none",
                    "-d",
                    out.toString(),
                    "-cp",
                    System.getProperty("java.class.path")),
                null,
                List.of(new Source(source)))
            .call();
    assertThat(fine).as("%s%n%s", said, source).isTrue();
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String text) {
      super(URI.create("string:///Snippets" + JavaFileObject.Kind.SOURCE.extension), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
