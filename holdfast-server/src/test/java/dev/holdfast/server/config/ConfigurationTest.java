package dev.holdfast.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigurationTest {
  @TempDir private Path folder;

  private Path yaml(String text) throws IOException {
    return Files.writeString(folder.resolve("holdfast.yaml"), text);
  }

  private static String source(Configuration configuration, String key) {
    return configuration.values().stream()
        .filter(value -> value.key().equals(key))
        .findFirst()
        .orElseThrow()
        .source();
  }

  @Test
  void laterSourcesOverrideEarlierOnes() throws IOException {
    Path file = yaml("port: 1\nhost: 0.0.0.0\ndrain: PT1M\ndatabase:\n  user: from-yaml\n");
    Configuration configuration =
        Configuration.of(
            file,
            Map.of("HOLDFAST_PORT", "2", "HOLDFAST_DRAIN", "PT2M", "PATH", "x"),
            Map.of(
                "port",
                new Configuration.Flag("3", "--port"),
                "tenantIdle",
                Configuration.Flag.set("tenantIdle", "PT9S")));
    ServerConfig config = configuration.server();
    assertThat(config.http().port()).isEqualTo(3);
    assertThat(config.drain()).isEqualTo(Duration.ofMinutes(2));
    assertThat(config.http().host()).isEqualTo("0.0.0.0");
    assertThat(config.database().user()).isEqualTo("from-yaml");
    assertThat(config.environment()).isEqualTo("live");
    assertThat(source(configuration, "port")).isEqualTo("--port");
    assertThat(source(configuration, "tenantIdle")).isEqualTo("--set tenantIdle=");
    assertThat(source(configuration, "drain")).isEqualTo("HOLDFAST_DRAIN");
    assertThat(source(configuration, "host")).isEqualTo(file.toString());
    assertThat(source(configuration, "environment")).isEqualTo("default");
  }

  @Test
  void unknownKeysAreErrors() throws IOException {
    Path file = yaml("prot: 1\n");
    assertThatThrownBy(() -> Configuration.read(file, Map.of(), Map.of()))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("'prot'")
        .hasMessageContaining("did you mean 'port'?");
    assertThatThrownBy(() -> Configuration.read(null, Map.of("HOLDFAST_PROT", "1"), Map.of()))
        .hasMessageContaining("did you mean 'HOLDFAST_PORT'?");
    assertThatThrownBy(() -> Configuration.read(null, Map.of(), Map.of("database.urk", "x")))
        .hasMessageContaining("did you mean 'database.url'?");
  }

  @Test
  void limitsOfPackagesOutOfRangeAreErrors() {
    Map<String, String> wrong =
        Map.of(
            "packages.heap", "31",
            "packages.cpus", "-1",
            "packages.files", "127",
            "packages.threads", "63");
    wrong.forEach((key, value) ->
        assertThatThrownBy(() -> Configuration.read(null, Map.of(), Map.of(key, value)).server())
            .isInstanceOf(ConfigException.class)
            .hasMessageContaining(key + " " + value + " is not valid: give "));
    ServerConfig.Packages ordinary =
        Configuration.read(null, Map.of(), Map.of()).server().packages();
    assertThat(ordinary).isEqualTo(new ServerConfig.Packages(false, 256, 0, 1024, 512));
  }

  @Test
  void duplicateKeysAreErrors() throws IOException {
    Path file = yaml("port: 1\nhost: x\nport: 2\n");
    assertThatThrownBy(() -> Configuration.read(file, Map.of(), Map.of()))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("port")
        .hasMessageContaining("uplicate");
  }

  @Test
  void invalidValuesNameTheirSource() {
    assertThatThrownBy(
            () -> Configuration.read(null, Map.of("HOLDFAST_PORT", "many"), Map.of()).server())
        .hasMessageContaining("port 'many' (from HOLDFAST_PORT)");
    assertThatThrownBy(() -> Configuration.read(null, Map.of(), Map.of("mode", "alll")).server())
        .hasMessageContaining("mode 'alll' (from --set mode=)");
    assertThatThrownBy(() -> Configuration.read(null, Map.of(), Map.of("port", "70000")).server())
        .hasMessageContaining("0 to 65535");
    assertThatThrownBy(() -> Configuration.read(null, Map.of(), Map.of("basePath", "x/")).server())
        .hasMessageContaining("basePath");
  }

  @Test
  void theLogIsValidated() throws IOException {
    Path file = yaml("log:\n  level: loud\n");
    assertThatThrownBy(() -> Configuration.read(file, Map.of(), Map.of()).server())
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("log.level 'loud' (from %s)".formatted(file))
        .hasMessageContaining("give off, error, warn, info, debug or trace");
    assertThatThrownBy(
            () -> Configuration.read(null, Map.of("HOLDFAST_LOG_FORMAT", "xml"), Map.of()).server())
        .hasMessageContaining("log.format 'xml' (from HOLDFAST_LOG_FORMAT)")
        .hasMessageContaining("give text or json");
    Configuration configured =
        Configuration.read(null, Map.of("HOLDFAST_LOG_LEVEL", "Off"), Map.of());
    configured.server();
    assertThat(configured.logLevel()).isEqualTo("Off");
    assertThat(Configuration.read(null, Map.of(), Map.of()).logLevel()).isNull();
  }

  @Test
  void queuesAreAListOrAnObject() throws IOException {
    assertThat(
            Configuration.read(yaml("queues:\n  mail: 3\n  default: 9\n"), Map.of(), Map.of())
                .server()
                .queues())
        .isEqualTo(Map.of("mail", 3, "default", 9));
    assertThat(Configuration.read(null, Map.of(), Map.of("queues", "a=1, b=2")).server().queues())
        .isEqualTo(Map.of("a", 1, "b", 2));
    assertThatThrownBy(
            () -> Configuration.read(null, Map.of(), Map.of("queues", "a=1,a=2")).server())
        .hasMessageContaining("queues");
  }

  @Test
  void secretsAreNotShown() {
    Configuration configuration =
        Configuration.read(null, Map.of("HOLDFAST_DATABASE_PASSWORD", "hunter2"), Map.of());
    assertThat(configuration.values().toString()).contains("hunter2");
    assertThat(configuration.values().stream().map(Configuration.Value::shown))
        .contains("(secret)")
        .doesNotContain("hunter2");
    assertThat(configuration.server().database().password()).isEqualTo("hunter2");
  }

  @Test
  void modesAreAListOrAll() {
    assertThat(
            Configuration.read(null, Map.of(), Map.of("mode", "worker, scheduler"))
                .server()
                .modes())
        .containsExactlyInAnyOrder(ServerMode.WORKER, ServerMode.SCHEDULER);
    assertThat(Configuration.read(null, Map.of(), Map.of()).server().modes()).hasSize(3);
  }

  @Test
  void variablesOfTheCommandAreNoSettings() {
    Map<String, String> variables =
        Map.of(
            "HOLDFAST_URL", "http://x",
            "HOLDFAST_KEY", "k",
            "HOLDFAST_TENANT", "t",
            "HOLDFAST_PROFILE", "p",
            "HOLDFAST_JAVA_OPTS", "-Xmx1g",
            "HOLDFAST_CLASSPATH", "tasks.jar",
            "HOLDFAST_PORT", "81");

    assertThat(Configuration.read(null, variables, Map.of()).server().http().port()).isEqualTo(81);
  }
}
