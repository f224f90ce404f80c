package dev.holdfast.server.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.server.config.ConfigException;
import dev.holdfast.server.config.Configuration;
import io.opentelemetry.sdk.common.CompletableResultCode;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The standard variables of OpenTelemetry configure where traces are sent. */
class TraceSettingsTest {
  private static final String ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";

  private static TraceSettings read(Map<String, String> environment) {
    return Configuration.read(null, environment, Map.of()).server().tracing();
  }

  @Test
  void withoutAnEndpointNoTracesAreSent() {
    assertThat(read(Map.of())).isNull();
    assertThat(read(Map.of("OTEL_SERVICE_NAME", "x"))).isNull();
    assertThat(read(Map.of("OTEL_TRACES_EXPORTER", "none", ENDPOINT, "http://collector:4318")))
        .isNull();
  }

  @Test
  void tracesArePostedBelowTheEndpoint() {
    TraceSettings settings =
        read(
            Map.of(
                ENDPOINT,
                "https://collector:4318/otlp/",
                "OTEL_EXPORTER_OTLP_HEADERS",
                "authorization=Bearer%20x, tenant=a+b"));

    assertThat(settings.endpoint()).hasToString("https://collector:4318/otlp/v1/traces");
    assertThat(settings.headers())
        .containsExactlyInAnyOrderEntriesOf(Map.of("authorization", "Bearer x", "tenant", "a+b"));
    assertThat(settings.resource()).containsEntry("service.name", "holdfast");
    assertThat(settings.toString()).doesNotContain("Bearer");
  }

  @Test
  void theExporterWithoutAnEndpointUsesTheStandardOne() {
    assertThat(read(Map.of("OTEL_TRACES_EXPORTER", "otlp")).endpoint())
        .hasToString("http://localhost:4318/v1/traces");
  }

  @Test
  void aDisabledSdkSendsNoTraces() {
    assertThat(read(Map.of(ENDPOINT, "http://c:4318", "OTEL_SDK_DISABLED", "True"))).isNull();
    assertThat(read(Map.of(ENDPOINT, "http://c:4318", "OTEL_SDK_DISABLED", "false"))).isNotNull();
    assertRefused(Map.of("OTEL_SDK_DISABLED", "yes"), "OTEL_SDK_DISABLED 'yes'");
  }

  @Test
  void theVariablesForTracesTakePrecedence() {
    TraceSettings settings =
        read(
            Map.of(
                ENDPOINT,
                "http://shared:4318",
                "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
                "http://traces:4318/as/it/is",
                "OTEL_EXPORTER_OTLP_PROTOCOL",
                "grpc",
                "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
                "http/json",
                "OTEL_EXPORTER_OTLP_HEADERS",
                "for=all",
                "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
                "for=traces",
                "OTEL_EXPORTER_OTLP_TIMEOUT",
                "7",
                "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT",
                "250"));

    assertThat(settings.endpoint()).hasToString("http://traces:4318/as/it/is");
    assertThat(settings.headers()).isEqualTo(Map.of("for", "traces"));
    assertThat(settings.timeout()).isEqualTo(Duration.ofMillis(250));
    assertThat(read(Map.of("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://traces:4318")).endpoint())
        .as("it alone is enough")
        .hasToString("http://traces:4318");
    assertRefused(
        Map.of("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "traces:4318"),
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT 'traces:4318'");
    assertRefused(
        Map.of(ENDPOINT, "http://c:4317", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "grpc"),
        "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL 'grpc'");
  }

  @Test
  void aCollectorThatDoesNotAnswerIsGivenUpAfterTheTimeout() throws Exception {
    try (ServerSocket silent = new ServerSocket(0)) {
      TraceSettings settings =
          read(
              Map.of(
                  ENDPOINT,
                  "http://localhost:" + silent.getLocalPort(),
                  "OTEL_EXPORTER_OTLP_TIMEOUT",
                  "200"));
      assertThat(settings.timeout()).isEqualTo(Duration.ofMillis(200));
      OtlpJsonExporter exporter = new OtlpJsonExporter(settings);

      // Less than the standard timeout of 10 s.
      CompletableResultCode sent = exporter.export(List.of()).join(5, TimeUnit.SECONDS);
      assertThat(sent.isDone()).isTrue();
      assertThat(sent.isSuccess()).isFalse();
    }
    assertThat(read(Map.of(ENDPOINT, "http://c:4318")).timeout()).isEqualTo(Duration.ofSeconds(10));
    assertRefused(
        Map.of(ENDPOINT, "http://c:4318", "OTEL_EXPORTER_OTLP_TIMEOUT", "0"),
        "OTEL_EXPORTER_OTLP_TIMEOUT '0'");
  }

  @Test
  void theSamplerIsThatOfTheVariables() {
    TraceSettings settings =
        read(
            Map.of(
                ENDPOINT,
                "http://collector:4318",
                "OTEL_TRACES_SAMPLER",
                "parentbased_traceidratio",
                "OTEL_TRACES_SAMPLER_ARG",
                "0.25"));

    assertThat(settings.sampler().getDescription()).contains("TraceIdRatioBased{0.25");
  }

  @Test
  void wrongValuesAreErrorsThatNameTheVariable() {
    assertRefused(Map.of("OTEL_TRACES_EXPORTER", "zipkin"), "OTEL_TRACES_EXPORTER 'zipkin'");
    assertRefused(Map.of(ENDPOINT, "collector:4318"), ENDPOINT + " 'collector:4318'");
    assertRefused(
        Map.of(ENDPOINT, "http://c:4317", "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"), "http/json");
    assertRefused(
        Map.of(ENDPOINT, "http://c:4318", "OTEL_TRACES_SAMPLER", "some"), "OTEL_TRACES_SAMPLER");
    assertRefused(
        Map.of(
            ENDPOINT,
            "http://c:4318",
            "OTEL_TRACES_SAMPLER",
            "traceidratio",
            "OTEL_TRACES_SAMPLER_ARG",
            "7"),
        "OTEL_TRACES_SAMPLER_ARG '7'");
    assertThatThrownBy(
            () -> read(Map.of(ENDPOINT, "http://c:4318", "OTEL_EXPORTER_OTLP_HEADERS", "hunter2")))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("OTEL_EXPORTER_OTLP_HEADERS")
        .hasMessageNotContaining("hunter2");
  }

  private static void assertRefused(Map<String, String> environment, String message) {
    assertThatThrownBy(() -> read(environment))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(message);
  }
}
