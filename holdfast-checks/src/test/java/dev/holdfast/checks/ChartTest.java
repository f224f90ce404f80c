package dev.holdfast.checks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import com.marcnuri.helm.TemplateCommand;
import dev.holdfast.server.config.Configuration;
import dev.holdfast.server.config.ServerConfig;
import dev.holdfast.server.config.ServerMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The chart, linted and rendered by helm itself, has what the servers need. */
class ChartTest {
  private static final Path CHART = Checkout.root().resolve("deploy/helm/holdfast");
  private static final List<String> ROLES = List.of("api", "worker", "scheduler");
  private static final Map<String, Object> ALL =
      Map.of(
          "worker.autoscaling.enabled", "true",
          "podMonitor.enabled", "true",
          "secrets.existingSecret", "master",
          "secrets.oldKey", "before",
          "tasks.image", "tasks:1",
          "tasks.classpath", "/tasks/a.jar",
          "worker.queues.mail", "20");

  @TempDir Path folder;

  private static List<JsonNode> render(Map<String, Object> values) {
    TemplateCommand command =
        new Helm(CHART).template().withName("hf").withNamespace("jobs").withKubeVersion("1.33.0");
    values.forEach(command::set);
    return Yaml.documents(command.call());
  }

  private static JsonNode find(List<JsonNode> rendered, String kind, String name) {
    return rendered.stream()
        .filter(object -> object.path("kind").asString("").equals(kind))
        .filter(object -> object.at("/metadata/name").asString("").equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("There is no %s %s".formatted(kind, name)));
  }

  private static JsonNode pod(List<JsonNode> rendered, String role) {
    return find(rendered, "Deployment", "hf-" + role).at("/spec/template/spec");
  }

  @Test
  void theLinterFindsNothing() {
    LintResult result = new Helm(CHART).lint().strict().call();
    assertThat(result.isFailed()).as("%s", result.getMessages()).isFalse();
  }

  @Test
  void everyRoleHasProbesABudgetAndTimeToDrain() {
    for (Map<String, Object> values : List.of(Map.<String, Object>of(), ALL)) {
      List<JsonNode> rendered = render(values);
      for (String role : ROLES) {
        JsonNode pod = pod(rendered, role);
        JsonNode container = pod.at("/containers/0");
        assertThat(container.at("/livenessProbe/httpGet/path").asString()).isEqualTo("/health");
        assertThat(container.at("/startupProbe/httpGet/path").asString()).isEqualTo("/health");
        assertThat(container.at("/readinessProbe/httpGet/path").asString()).isEqualTo("/ready");
        // 5 s of preStop and 60 s of drain.
        assertThat(container.at("/lifecycle/preStop/exec/command/1").asString()).isEqualTo("5");
        assertThat(pod.path("terminationGracePeriodSeconds").asInt()).isGreaterThan(5 + 60);
        assertThat(pod.at("/securityContext/runAsNonRoot").asBoolean()).isTrue();
        JsonNode budget = find(rendered, "PodDisruptionBudget", "hf-" + role);
        assertThat(budget.at("/spec/selector/matchLabels"))
            .isEqualTo(find(rendered, "Deployment", "hf-" + role).at("/spec/selector/matchLabels"));
        assertThat(budget.at("/spec/maxUnavailable").asInt()).isEqualTo(1);
      }
    }
  }

  /** A service named holdfast would set HOLDFAST_PORT to tcp://…, which is no port. */
  @Test
  void noVariablesOfServicesReachTheServers() {
    List<JsonNode> rendered = render(Map.of());
    assertThat(ROLES)
        .allSatisfy(role ->
            assertThat(pod(rendered, role).path("enableServiceLinks").asBoolean(true)).isFalse());
  }

  @Test
  void aServerAcceptsTheConfigurationOfEachRole() throws IOException {
    Files.writeString(folder.resolve("key"), "A".repeat(43) + "=");
    Files.writeString(folder.resolve("before"), "B".repeat(42) + "A=");
    for (Map<String, Object> values : List.of(Map.<String, Object>of(), ALL)) {
      List<JsonNode> rendered = render(values);
      for (String role : ROLES) {
        String file =
            find(rendered, "ConfigMap", "hf-" + role).path("data").path("holdfast.yaml").asString();
        Path config = Files.writeString(folder.resolve(role + ".yaml"), file);
        ServerConfig server =
            Configuration.read(config, variables(pod(rendered, role)), Map.of()).server();
        assertThat(server.modes())
            .isEqualTo(Set.of(ServerMode.valueOf(role.toUpperCase(java.util.Locale.ROOT))));
        assertThat(server.http().host()).isEqualTo("0.0.0.0");
        assertThat(server.drain()).isEqualTo(java.time.Duration.ofSeconds(60));
        assertThat(server.database().password()).isEqualTo("from a secret");
        if (role.equals("worker")) {
          assertThat(server.queues())
              .isEqualTo(
                  values.isEmpty() ? Map.of("default", 100) : Map.of("default", 100, "mail", 20));
        }
      }
    }
  }

  private Map<String, String> variables(JsonNode pod) {
    Map<String, String> variables = new LinkedHashMap<>();
    for (JsonNode variable : pod.at("/containers/0/env")) {
      boolean optional = variable.at("/valueFrom/secretKeyRef/optional").asBoolean(false);
      String text =
          variable.has("value")
              ? variable.path("value").asString().replace("/etc/holdfast-secrets", folder + "")
              : optional ? "" : "from a secret";
      variables.put(variable.path("name").asString(), text);
    }
    return variables;
  }

  @Test
  void theAutoscalerReadsTheBacklogOfTheQueuesOfTheWorkers() {
    List<JsonNode> rendered = render(ALL);
    JsonNode scaled = find(rendered, "ScaledObject", "hf-worker");
    JsonNode trigger = scaled.at("/spec/triggers/0");
    assertThat(trigger.path("type").asString()).isEqualTo("metrics-api");
    assertThat(trigger.at("/metadata/url").asString())
        .isEqualTo("http://hf.jobs.svc:7420/backlog?queue=default,mail");
    assertThat(trigger.at("/metadata/valueLocation").asString()).isEqualTo("backlog");
    assertThat(find(rendered, "Service", "hf").at("/spec/ports/0/port").asInt()).isEqualTo(7420);
    // The autoscaler decides how many there are: a release must not reset it.
    assertThat(find(rendered, "Deployment", "hf-worker").at("/spec").has("replicas")).isFalse();
    assertThat(find(rendered, "Deployment", "hf-api").at("/spec").has("replicas")).isTrue();
  }

  @Test
  void theBacklogOfATenantNeedsAKey() {
    Map<String, Object> values = new LinkedHashMap<>(ALL);
    values.put("worker.autoscaling.tenant", "acme");
    assertThatThrownBy(() -> render(values)).hasMessageContaining("keySecret");
    values.put("worker.autoscaling.keySecret", "viewer");
    List<JsonNode> rendered = render(values);
    assertThat(find(rendered, "ScaledObject", "hf-worker").at("/spec/triggers/1/metadata/url"))
        .hasToString("\"http://hf.jobs.svc:7420/v1/tenants/acme/queues/mail/backlog\"");
    assertThat(find(rendered, "TriggerAuthentication", "hf-backlog").at("/spec/secretTargetRef/0"))
        .hasToString("{\"parameter\":\"token\",\"name\":\"viewer\",\"key\":\"key\"}");
  }

  @Test
  void valuesThatAreNotValidAreRefused() {
    assertThatThrownBy(() -> render(Map.of("database.url", "mysql://db")))
        .hasMessageContaining("url");
    assertThatThrownBy(() -> render(Map.of("killAfterSeconds", "0")))
        .hasMessageContaining("killAfterSeconds");
  }
}
