package dev.holdfast.server.trace;

import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the server sends its traces, as the standard variables of OpenTelemetry say.
 *
 * @param endpoint where spans are posted, such as {@code http://collector:4318/v1/traces}
 * @param headers what is sent with them, such as a token
 * @param timeout how long a batch may take
 * @param resource what describes this server: {@code service.name} and other attributes
 * @param sampler which traces are recorded
 */
public record TraceSettings(
    URI endpoint,
    Map<String, String> headers,
    Duration timeout,
    Map<String, String> resource,
    Sampler sampler) {
  private static final String STANDARD = "http://localhost:4318";
  private static final String OTLP = "OTEL_EXPORTER_OTLP_";
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
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

  /** A variable that has a value, or the last one that could have it. */
  private record Given(String name, String value) {
    static Given of(Map<String, String> variables, String... names) {
      Given found = new Given("", "");
      for (String name : names) {
        found = new Given(name, variables.getOrDefault(name, ""));
        if (!found.value.isEmpty()) {
          return found;
        }
      }
      return found;
    }

    boolean is(String other) {
      return value.equalsIgnoreCase(other);
    }

    boolean isEmpty() {
      return value.isEmpty();
    }

    IllegalArgumentException wrong(String remedy) {
      return new IllegalArgumentException(
          "%s '%s' is not valid: %s.".formatted(name, value, remedy));
    }
  }

  /**
   * Returns the settings; null if no traces are sent, which is the default without an endpoint.
   *
   * @param variables the values of variables, without blanks around them; empty for none
   * @throws IllegalArgumentException if a value is not valid
   */
  public static @Nullable TraceSettings of(Map<String, String> variables) {
    Given disabled = Given.of(variables, "OTEL_SDK_DISABLED");
    if (!disabled.isEmpty() && !disabled.is("true") && !disabled.is("false")) {
      throw disabled.wrong("use true or false");
    }
    Given exporter = Given.of(variables, "OTEL_TRACES_EXPORTER");
    Given own = Given.of(variables, OTLP + "TRACES_ENDPOINT");
    Given shared = Given.of(variables, OTLP + "ENDPOINT");
    if (disabled.is("true")
        || exporter.is("none")
        || (exporter.isEmpty() && own.isEmpty() && shared.isEmpty())) {
      return null;
    }
    if (!exporter.isEmpty() && !exporter.is("otlp")) {
      throw exporter.wrong("use otlp or none");
    }
    Given protocol = forTraces(variables, "PROTOCOL");
    if (!protocol.isEmpty() && !protocol.is("http/json") && !protocol.is("http/protobuf")) {
      throw protocol.wrong(
          "use http/json, with the HTTP port of the collector, which is usually 4318");
    }
    Map<String, String> resource = new LinkedHashMap<>();
    resource.put("service.name", "holdfast");
    resource.putAll(pairs(Given.of(variables, "OTEL_RESOURCE_ATTRIBUTES")));
    Given service = Given.of(variables, "OTEL_SERVICE_NAME");
    if (!service.isEmpty()) {
      resource.put("service.name", service.value());
    }
    return new TraceSettings(
        own.isEmpty() ? below(shared) : url(own, own.value()),
        pairs(forTraces(variables, "HEADERS")),
        timeout(forTraces(variables, "TIMEOUT")),
        resource,
        sampler(
            Given.of(variables, "OTEL_TRACES_SAMPLER"),
            Given.of(variables, "OTEL_TRACES_SAMPLER_ARG")));
  }

  /** Returns the variable for traces if it has a value, or else the one for all signals. */
  private static Given forTraces(Map<String, String> variables, String what) {
    return Given.of(variables, OTLP + "TRACES_" + what, OTLP + what);
  }

  private static URI below(Given endpoint) {
    String base = endpoint.isEmpty() ? STANDARD : endpoint.value().replaceAll("/+$", "");
    return url(endpoint, base + PATH);
  }

  private static URI url(Given from, String text) {
    try {
      URI url = URI.create(text);
      if (url.getHost() != null && String.valueOf(url.getScheme()).matches("https?")) {
        return url;
      }
    } catch (IllegalArgumentException reportedBelow) {
      // With a message that names the variable.
    }
    throw from.wrong("give a URL such as " + STANDARD);
  }

  private static Duration timeout(Given given) {
    if (given.isEmpty()) {
      return TIMEOUT;
    }
    try {
      int millis = Integer.parseInt(given.value());
      if (millis > 0) {
        return Duration.ofMillis(millis);
      }
    } catch (NumberFormatException reportedBelow) {
      // With a message that names the variable.
    }
    throw given.wrong("give a number of milliseconds, such as 10000");
  }

  /** Reads pairs such as {@code a=1,b=2}, whose values are percent-encoded. */
  private static Map<String, String> pairs(Given given) {
    Map<String, String> pairs = new LinkedHashMap<>();
    for (String pair : given.value().split(",", -1)) {
      if (pair.isBlank()) {
        continue;
      }
      int equals = pair.indexOf('=');
      if (equals < 1 || pair.substring(0, equals).isBlank()) {
        // Without the value, which may be a secret.
        throw new IllegalArgumentException(
            "%s is not valid: give pairs such as a=1,b=2.".formatted(given.name()));
      }
      String value = pair.substring(equals + 1).strip().replace("+", "%2B");
      pairs.put(
          pair.substring(0, equals).strip(), URLDecoder.decode(value, StandardCharsets.UTF_8));
    }
    return pairs;
  }

  private static Sampler sampler(Given name, Given arg) {
    return switch (name.value().toLowerCase(Locale.ROOT)) {
      case "", "parentbased_always_on" -> Sampler.parentBased(Sampler.alwaysOn());
      case "parentbased_always_off" -> Sampler.parentBased(Sampler.alwaysOff());
      case "parentbased_traceidratio" -> Sampler.parentBased(ratio(arg));
      case "always_on" -> Sampler.alwaysOn();
      case "always_off" -> Sampler.alwaysOff();
      case "traceidratio" -> ratio(arg);
      default ->
          throw name.wrong(
              "use always_on, always_off, traceidratio, or one of them after 'parentbased_'");
    };
  }

  private static Sampler ratio(Given arg) {
    try {
      return Sampler.traceIdRatioBased(arg.isEmpty() ? 1 : Double.parseDouble(arg.value()));
    } catch (IllegalArgumentException notARatio) {
      throw arg.wrong("give a number from 0 to 1");
    }
  }
}
