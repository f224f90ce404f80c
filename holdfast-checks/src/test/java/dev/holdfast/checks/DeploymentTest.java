package dev.holdfast.checks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.server.boot.HoldfastServer;
import dev.holdfast.server.config.Configuration;
import dev.holdfast.server.config.ServerConfig;
import dev.holdfast.server.config.ServerMode;
import java.io.IOException;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/**
 * The files in {@code deploy} fit the program: what they copy exists, and a server accepts their
 * settings. Services are not started here, and the image only by {@link ImageTest}.
 */
class DeploymentTest {
  private static final Path DEPLOY = Checkout.root().resolve("deploy");
  private static final Pattern DEFAULTED = Pattern.compile("\\$\\{\\w+(?::[-?]([^}]*))?}");

  private static String read(String file) throws IOException {
    return Files.readString(DEPLOY.resolve(file));
  }

  /** Fails if a variable of the environment is not known, or a value is not valid. */
  private static ServerConfig accept(Map<String, String> variables) {
    return Configuration.read(null, variables, Map.of()).server();
  }

  /** Returns the instructions, with continued lines joined. */
  private static List<String> dockerfile() throws IOException {
    return read("Dockerfile")
        .replace("\\\n", " ")
        .lines()
        .map(line -> line.strip().replaceAll("\\s+", " "))
        .filter(line -> !line.isEmpty() && !line.startsWith("#"))
        .toList();
  }

  private static List<String> instructions(String name) throws IOException {
    return dockerfile().stream()
        .filter(line -> line.startsWith(name + " "))
        .map(line -> line.substring(name.length() + 1))
        .toList();
  }

  @Test
  void whatTheImageCopiesAndRunsExists() throws IOException {
    for (String copy : instructions("COPY")) {
      String[] words = copy.split(" ", -1);
      if (!words[0].startsWith("--from=")) {
        Path copied = Checkout.root().resolve(words[0]);
        assertThat(copied).exists().isExecutable(); // Folders are as well.
      }
    }
    assertThat(instructions("COPY")).anyMatch(copy -> copy.startsWith("--from=build "));
    for (String run : instructions("RUN")) {
      for (String word : run.split(" ", -1)) {
        if (word.startsWith("deploy/")) {
          assertThat(Checkout.root().resolve(word)).isExecutable();
        }
      }
    }
    assertThat(Files.readString(Checkout.root().resolve("holdfast-cli/pom.xml")))
        .contains("<id>distribution</id>", "/distribution</outputDirectory>");
    String assemble = read("image/assemble.sh");
    for (String script : List.of("holdfast", "health")) {
      assertThat(assemble).contains("\"$here/" + script + "\"");
      assertThat(DEPLOY.resolve("image/" + script)).isExecutable();
    }
    assertThat(instructions("HEALTHCHECK").getFirst())
        .endsWith("CMD [\"/opt/holdfast/bin/health\"]");
    assertThat(instructions("ENTRYPOINT")).containsExactly("[\"/opt/holdfast/bin/holdfast\"]");
  }

  @Test
  void theImageRunsAServerAsAnotherUserThanRoot() throws IOException {
    List<String> lines = dockerfile();
    int last = lines.lastIndexOf("FROM installed");
    assertThat(lines.subList(last, lines.size()))
        .contains("USER 10001")
        .noneMatch(line -> line.startsWith("FROM ") && !line.equals("FROM installed"));
    assertThat(lines.subList(lines.indexOf("FROM installed AS trained"), last))
        .containsSubsequence("USER 10001", "RUN /tmp/train.sh /opt/holdfast");
    assertThat(instructions("CMD")).containsExactly("[\"serve\"]");
    assertThat(Commands.mistake("serve")).isEmpty();
    Map<String, String> variables = new LinkedHashMap<>();
    for (String pair : instructions("ENV").getFirst().split(" ", -1)) {
      String[] parts = pair.split("=", 2);
      variables.put(parts[0], parts[1]);
    }
    ServerConfig config = accept(variables);
    assertThat(config.http().host()).isEqualTo("0.0.0.0");
    assertThat(instructions("EXPOSE")).containsExactly(String.valueOf(config.http().port()));
  }

  @Test
  void theRuntimeOfTheImageHasModulesOfThisJdk() throws IOException {
    Matcher modules =
        Pattern.compile("--add-modules ([\\w.,]+)").matcher(read("image/assemble.sh"));
    assertThat(modules.find()).isTrue();
    assertThat(modules.group(1).split(","))
        .contains("java.se", "jdk.unsupported")
        .allSatisfy(module -> assertThat(ModuleFinder.ofSystem().find(module)).isPresent());
  }

  @Test
  void scriptsAreValid() throws Exception {
    for (String script :
        List.of(
            "assemble.sh",
            "train.sh",
            "build-offline.sh",
            "try-offline.sh",
            "holdfast",
            "health")) {
      Path file = DEPLOY.resolve("image").resolve(script);
      String shell = read("image/" + script).startsWith("#!/bin/bash") ? "bash" : "sh";
      assertThat(exit(Map.of(), shell, "-n", file.toString())).as(script).isZero();
    }
  }

  private static int exit(Map<String, String> variables, String... command) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(variables);
    Process process = builder.redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }

  @Test
  void theHealthCheckTellsWhetherAServerAnswers() throws Exception {
    String health = DEPLOY.resolve("image/health").toString();
    try (TestDatabase database = SharedServer.freshDatabase()) {
      int port;
      try (HoldfastServer server =
          HoldfastServer.start(
              Configuration.read(
                      null,
                      Map.of(),
                      Map.of(
                          "port", "0",
                          "mode", "api",
                          "database.url", database.jdbcUrl(),
                          "database.user", database.user(),
                          "database.password", database.password()))
                  .server())) {
        port = server.url().getPort();
        Map<String, String> variables = Map.of("HOLDFAST_PORT", String.valueOf(port));
        assertThat(exit(variables, health)).isZero();
        assertThat(exit(variables, health, "/ready")).isZero();
        assertThat(exit(variables, health, "/nothing")).isNotZero();
      }
      assertThat(exit(Map.of("HOLDFAST_PORT", String.valueOf(port)), health)).isNotZero();
    }
  }

  @Test
  void theServicesOfComposeHaveSettingsThatServersAccept() throws IOException {
    JsonNode compose = Yaml.parse(read("compose/docker-compose.yaml"));
    assertThat(compose.path("services").propertyNames())
        .containsExactlyInAnyOrder("postgres", "api", "worker", "scheduler");
    for (ServerMode mode : ServerMode.values()) {
      String name = mode.name().toLowerCase(java.util.Locale.ROOT);
      JsonNode service = compose.path("services").path(name);
      Map<String, String> variables = new LinkedHashMap<>();
      service
          .path("environment")
          .forEachEntry((key, value) -> variables.put(key, resolved(value.asString())));
      ServerConfig config = accept(variables);
      assertThat(config.modes()).isEqualTo(Set.of(mode));
      assertThat(config.database().url()).contains("//postgres:5432/");
      assertThat(seconds(service.path("stop_grace_period").asString()))
          .isGreaterThan(config.drain());
      assertThat(service.at("/depends_on/postgres/condition").asString())
          .isEqualTo("service_healthy");
      assertThat(
              DEPLOY
                  .resolve("compose")
                  .resolve(service.at("/build/context").asString())
                  .resolve(service.at("/build/dockerfile").asString()))
          .exists();
    }
    String example = read("compose/.env.example");
    Matcher used = Pattern.compile("\\$\\{(\\w+)").matcher(read("compose/docker-compose.yaml"));
    while (used.find()) {
      assertThat(example).containsPattern("(?m)^" + used.group(1) + "=");
    }
  }

  /** What stands for a variable of the shell, whose value is not known here. */
  private static String resolved(String text) {
    return DEFAULTED.matcher(text).replaceAll("x");
  }

  private static Duration seconds(String text) {
    return Duration.parse("PT" + text.toUpperCase(java.util.Locale.ROOT));
  }

  @Test
  void serversAcceptTheExampleConfigurations() throws IOException {
    List<Path> examples = new ArrayList<>();
    try (Stream<Path> files = Files.list(DEPLOY.resolve("config"))) {
      files.sorted().forEach(examples::add);
    }
    assertThat(examples).hasSize(4);
    for (Path example : examples) {
      ServerConfig config =
          Configuration.read(example, Map.of("HOLDFAST_DATABASE_PASSWORD", "x"), Map.of()).server();
      String name = example.getFileName().toString().replace(".yaml", "");
      assertThat(config.modes())
          .isEqualTo(
              name.equals("single")
                  ? Set.of(ServerMode.values())
                  : Set.of(ServerMode.valueOf(name.toUpperCase(java.util.Locale.ROOT))));
    }
  }

  @Test
  void theServiceOfSystemdRunsTheCommandAndLetsItDrain() throws IOException {
    String unit = read("systemd/holdfast.service");
    String command = value(unit, "ExecStart");
    assertThat(command).startsWith("/opt/holdfast/bin/holdfast serve ");
    assertThat(Commands.mistake(command.substring(command.indexOf(' ') + 1))).isEmpty();
    Map<String, String> variables = new LinkedHashMap<>();
    String[] own = value(unit, "Environment").split("=", 2);
    variables.put(own[0], own[1]);
    read("systemd/holdfast.env")
        .lines()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.split("=", 2))
        .forEach(pair -> variables.put(pair[0], pair[1]));
    ServerConfig config =
        Configuration.read(DEPLOY.resolve("config/single.yaml"), variables, Map.of()).server();
    assertThat(Duration.ofSeconds(Long.parseLong(value(unit, "TimeoutStopSec"))))
        .isGreaterThan(config.drain());
    assertThat(config.dataDir())
        .startsWithRaw(Path.of("/var/lib").resolve(value(unit, "StateDirectory")));
    for (Matcher file = Pattern.compile("deploy/\\S+").matcher(unit); file.find(); ) {
      assertThat(Checkout.root().resolve(file.group().replaceAll("[):]+$", ""))).exists();
    }
  }

  private static String value(String unit, String key) {
    Matcher line = Pattern.compile("(?m)^" + key + "=(.*)$").matcher(unit);
    assertThat(line.find()).as(key).isTrue();
    return line.group(1);
  }
}
