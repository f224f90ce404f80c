package dev.holdfast.server.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.server.config.ConfigException;
import dev.holdfast.server.config.Configuration;
import java.util.Map;
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
