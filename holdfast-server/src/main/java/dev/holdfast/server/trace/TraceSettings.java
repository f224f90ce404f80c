package dev.holdfast.server.trace;

import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the server sends its traces, as the standard variables of OpenTelemetry say.
 *
 * @param endpoint where spans are posted, such as {@code http://collector:4318/v1/traces}
 * @param headers what is sent with them, such as a token
 * @param resource what describes this server: {@code service.name} and other attributes
 * @param sampler which traces are recorded
 */
public record TraceSettings(
    URI endpoint, Map<String, String> headers, Map<String, String> resource, Sampler sampler) {
  private static final String STANDARD = "http://localhost:4318";
  private static final String PATH = "/v1/traces";

  /** Copies the values. */
  public TraceSettings {
    headers = Map.copyOf(headers);
    resource = Map.copyOf(resource);
  }

  /** The token of a header is not for logs. */
  @Override
  public String toString() {
    return "TraceSettings[" + endpoint + ", " + resource + ", " + sampler.getDescription() + "]";
  }

  /** The values of variables, without what their names have in common; empty for none. */
  public record Variables(
      String tracesExporter,
      String endpoint,
      String protocol,
      String headers,
      String serviceName,
      String resourceAttributes,
      String sampler,
      String samplerArg) {}

  /**
   * Returns the settings; null if no traces are sent, which is the default without an endpoint.
   *
   * @throws IllegalArgumentException if a value is not valid
   */
  public static @Nullable TraceSettings of(Variables given) {
    String exporter = given.tracesExporter().strip().toLowerCase(Locale.ROOT);
    if (exporter.equals("none") || (exporter.isEmpty() && given.endpoint().isBlank())) {
      return null;
    }
    if (!exporter.isEmpty() && !exporter.equals("otlp")) {
      throw wrong("OTEL_TRACES_EXPORTER", exporter, "use otlp or none");
    }
    String protocol = given.protocol().strip();
    if (!protocol.isEmpty() && !protocol.equals("http/json") && !protocol.equals("http/protobuf")) {
      throw wrong(
          "OTEL_EXPORTER_OTLP_PROTOCOL",
          protocol,
          "use http/json, with the HTTP port of the collector, which is usually 4318");
    }
    Map<String, String> resource = new LinkedHashMap<>();
    resource.put("service.name", "holdfast");
    resource.putAll(pairs("OTEL_RESOURCE_ATTRIBUTES", given.resourceAttributes()));
    if (!given.serviceName().isBlank()) {
      resource.put("service.name", given.serviceName().strip());
    }
    return new TraceSettings(
        endpoint(given.endpoint()),
        pairs("OTEL_EXPORTER_OTLP_HEADERS", given.headers()),
        resource,
        sampler(given.sampler().strip(), given.samplerArg().strip()));
  }

  private static URI endpoint(String text) {
    String base = text.isBlank() ? STANDARD : text.strip().replaceAll("/+$", "");
    try {
      URI endpoint = URI.create(base + PATH);
      if (endpoint.getHost() != null && String.valueOf(endpoint.getScheme()).matches("https?")) {
        return endpoint;
      }
    } catch (IllegalArgumentException reportedBelow) {
      // With a message that names the variable.
    }
    throw wrong("OTEL_EXPORTER_OTLP_ENDPOINT", text, "give a URL such as " + STANDARD);
  }

  /** Reads pairs such as {@code a=1,b=2}, whose values are percent-encoded. */
  private static Map<String, String> pairs(String variable, String text) {
    Map<String, String> pairs = new LinkedHashMap<>();
    for (String pair : text.split(",", -1)) {
      if (pair.isBlank()) {
        continue;
      }
      int equals = pair.indexOf('=');
      if (equals < 1 || pair.substring(0, equals).isBlank()) {
        // Without the value, which may be a secret.
        throw new IllegalArgumentException(
            "%s is not valid: give pairs such as a=1,b=2.".formatted(variable));
      }
      String value = pair.substring(equals + 1).strip().replace("+", "%2B");
      pairs.put(
          pair.substring(0, equals).strip(), URLDecoder.decode(value, StandardCharsets.UTF_8));
    }
    return pairs;
  }

  private static Sampler sampler(String name, String arg) {
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "", "parentbased_always_on" -> Sampler.parentBased(Sampler.alwaysOn());
      case "parentbased_always_off" -> Sampler.parentBased(Sampler.alwaysOff());
      case "parentbased_traceidratio" -> Sampler.parentBased(ratio(arg));
      case "always_on" -> Sampler.alwaysOn();
      case "always_off" -> Sampler.alwaysOff();
      case "traceidratio" -> ratio(arg);
      default ->
          throw wrong(
              "OTEL_TRACES_SAMPLER",
              name,
              "use always_on, always_off, traceidratio, or one of them after 'parentbased_'");
    };
  }

  private static Sampler ratio(String arg) {
    try {
      return Sampler.traceIdRatioBased(arg.isEmpty() ? 1 : Double.parseDouble(arg));
    } catch (IllegalArgumentException notARatio) {
      throw wrong("OTEL_TRACES_SAMPLER_ARG", arg, "give a number from 0 to 1");
    }
  }

  private static IllegalArgumentException wrong(String variable, String value, String remedy) {
    return new IllegalArgumentException(
        "%s '%s' is not valid: %s.".formatted(variable, value, remedy));
  }
}
