package dev.holdfast.checks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.engine.node.LivenessSettings;
import dev.holdfast.postgres.PostgresSettings;
import dev.holdfast.postgres.PostgresStore;
import dev.holdfast.server.config.Configuration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * What pages contain besides Java and our own commands: other commands, settings, SQL, and tables
 * that repeat what the code says.
 */
class GuideSnippetsTest {
  private static final Path ROOT = Checkout.root();

  /** Programs that a reader may be expected to have. */
  private static final Set<String> PROGRAMS =
      Set.of(
          "cd", "curl", "docker", "export", "helm", "kill", "kubectl", "mvn", "openssl", "pass",
          "python3", "wait");

  private static final Pattern ASSIGNMENT = Pattern.compile("\\w+=(?:\\$\\([^)]*\\)|\\S*)\\s*");
  private static final Pattern FUNCTION = Pattern.compile("(?m)^(\\w+)\\(\\) \\{");
  private static final Pattern FILE = Pattern.compile("(?:examples|deploy)/[\\w./-]+");

  @TempDir private Path folder;

  private static List<Path> pages() throws IOException {
    return Checkout.filesEndingWith(".md");
  }

  private static String read(Path page) {
    try {
      return Files.readString(page);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private static String guide(String name) {
    return read(ROOT.resolve("docs").resolve(name));
  }

  private static List<String> blocks(String page, String language) {
    return Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
        .matcher(page)
        .results()
        .map(block -> block.group(1))
        .toList();
  }

  @Test
  void everyGuideIsInTheIndexAndInTheReadme() throws IOException {
    String index = guide("README.md");
    String readme = read(ROOT.resolve("README.md"));
    assertThat(readme).contains("](docs/README.md)");
    try (Stream<Path> files = Files.list(ROOT.resolve("docs"))) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .filteredOn(name -> !name.equals("README.md"))
          .hasSizeGreaterThan(25)
          .allSatisfy(name -> {
            assertThat(index).contains("](" + name + ")");
            assertThat(readme).contains("](docs/" + name + ")");
          });
    }
  }

  /** Our own commands are checked by {@link DocumentationTest}, with their options. */
  @Test
  void everyOtherProgramInAShellBlockIsKnownAndItsFilesExist() throws IOException {
    List<String> wrong = new ArrayList<>();
    int found = 0;
    for (Path page : pages()) {
      String name = ROOT.relativize(page).toString();
      for (String block : blocks(read(page), "sh")) {
        for (String line : block.replace("\\\n", " ").lines().map(String::strip).toList()) {
          String program = program(line);
          if (program.isEmpty()) {
            continue;
          }
          found++;
          if (!PROGRAMS.contains(program)
              && !program.matches("(\\.{0,2}/)?holdfast")
              && FUNCTION.matcher(block).results().noneMatch(f -> f.group(1).equals(program))
              && !Files.isExecutable(ROOT.resolve(program))) {
            wrong.add(name + ": no program " + program);
          }
          Matcher files = FILE.matcher(line);
          while (files.find()) {
            if (!Files.exists(ROOT.resolve(files.group()))) {
              wrong.add(name + ": no file " + files.group());
            }
          }
          for (String module : option("-pl", line)) {
            if (!Files.exists(ROOT.resolve(module).resolve("pom.xml"))) {
              wrong.add(name + ": no module " + module);
            }
          }
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(found).isGreaterThan(80);
  }

  /** Returns the first word of a line that is no assignment, comment or end of a function. */
  private static String program(String line) {
    String rest = line;
    for (Matcher first = ASSIGNMENT.matcher(rest); first.lookingAt(); first.reset(rest)) {
      rest = rest.substring(first.end());
    }
    return rest.startsWith("#") || rest.equals("}") || FUNCTION.matcher(rest).find()
        ? ""
        : rest.split("\\s+", 2)[0];
  }

  private static List<String> option(String name, String line) {
    List<String> words = Arrays.asList(line.split("\\s+"));
    int at = words.indexOf(name);
    return at < 0 ? List.of() : List.of(words.get(at + 1).split(","));
  }

  @Test
  void aServerAcceptsEveryConfigurationInAPage() throws IOException {
    int found = 0;
    for (Path page : pages()) {
      for (String block : blocks(read(page), "yaml")) {
        found++;
        Path file = Files.writeString(folder.resolve("config.yaml"), block);
        assertThat(Configuration.read(file, Map.of(), Map.of()).server())
            .as("%s: %s", page, block)
            .isNotNull();
      }
    }
    assertThat(found).isGreaterThan(1);
  }

  @Test
  void everyStatementInAPageRunsOnTheTablesOfHoldfast() throws Exception {
    int found = 0;
    try (TestDatabase database = SharedServer.freshDatabase()) {
      PostgresStore.connect(
              PostgresSettings.builder(database.jdbcUrl())
                  .user(database.user())
                  .password(database.password())
                  .build())
          .close();
      try (Connection connection = database.connect();
          Statement statement = connection.createStatement()) {
        // Roles belong to the whole server, so nothing is committed.
        connection.setAutoCommit(false);
        statement.execute("create role holdfast; create role app");
        for (Path page : pages()) {
          for (String block : blocks(read(page), "sql")) {
            found++;
            statement.execute(
                block.replace(" database app ", " database " + database.name() + " "));
          }
        }
        connection.rollback();
      }
    }
    assertThat(found).isGreaterThan(2);
  }

  @Test
  void everyDependencyInAPageIsAModuleOfThisVersion() throws IOException {
    String parent = read(ROOT.resolve("pom.xml"));
    int found = 0;
    for (Path page : pages()) {
      for (String block : blocks(read(page), "xml")) {
        found++;
        Matcher artifact =
            Pattern.compile("(?s)<artifactId>(.+?)</artifactId>\\s*<version>(.+?)</version>")
                .matcher(block);
        assertThat(artifact.find()).as(block).isTrue();
        assertThat(ROOT.resolve(artifact.group(1)).resolve("pom.xml")).exists();
        assertThat(parent)
            .contains(
                "<artifactId>holdfast-parent</artifactId>\n  <version>%s</version>"
                    .formatted(artifact.group(2)));
      }
    }
    assertThat(found).isGreaterThan(1);
  }

  @Test
  void everyReasonWhyAJobWaitsIsExplained() throws IOException {
    JsonNode api =
        Yaml.parse(
            read(
                ROOT.resolve(
                    "holdfast-server/src/main/resources/dev/holdfast/server/openapi.yaml")));
    List<String> codes = new ArrayList<>();
    api.at("/components/schemas/WaitReason/properties/code/enum")
        .forEach(code -> codes.add(code.asString()));
    assertThat(codes).hasSizeGreaterThan(10).contains("QUEUE_NOT_SERVED");
    assertThat(codes).allSatisfy(code -> assertThat(firstColumns()).contains("`" + code + "`"));
  }

  @Test
  void everyCodeOfAFailureIsExplained() {
    assertThat(FailureCode.class.getFields())
        .filteredOn(field -> Modifier.isStatic(field.getModifiers()))
        .hasSizeGreaterThan(10)
        .allSatisfy(field -> assertThat(firstColumns()).contains("`" + field.get(null) + "`"));
  }

  /** Returns the first cells of all tables of the page. */
  private static String firstColumns() {
    StringBuilder cells = new StringBuilder();
    Pattern.compile("(?m)^ *\\|([^|]*)\\|")
        .matcher(guide("troubleshooting.md"))
        .results()
        .forEach(row -> cells.append(row.group(1)).append('\n'));
    return cells.toString();
  }

  @Test
  void thePresetsOfTheTuningGuideAreThoseOfTheCode() {
    assertThat(guide("tuning.md"))
        .contains(preset("DEFAULT", LivenessSettings.DEFAULT))
        .contains(preset("FAST_FAILOVER", LivenessSettings.FAST_FAILOVER));
  }

  private static String preset(String name, LivenessSettings settings) {
    Duration timeout = settings.timeouts().running();
    return "| `LivenessSettings.%s` | %d s | %d s | %d s | %d s |"
        .formatted(
            name,
            settings.heartbeat().toSeconds(),
            timeout.toSeconds(),
            settings.sweep().toSeconds(),
            timeout.multipliedBy(3).dividedBy(4).toSeconds());
  }

  /** Numbers in two places must not differ. */
  @Test
  void theMeasurementsOfTheOperationsGuideAreThoseOfTheReadme() {
    String readme = read(ROOT.resolve("README.md"));
    String operations = guide("operations.md");
    String table =
        operations.substring(
            operations.indexOf("| measured | result |"), operations.indexOf("```sh"));
    assertThat(
            Pattern.compile("(?m)^\\|[^|]+\\| ([\\d.,]+(?: [×BM]+)?)[^|]*\\|$")
                .matcher(table)
                .results())
        .hasSizeGreaterThan(6)
        .allSatisfy(row -> assertThat(readme).contains(row.group(1)));
  }
}
