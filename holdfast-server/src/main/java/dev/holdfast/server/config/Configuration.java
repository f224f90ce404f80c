package dev.holdfast.server.config;

import dev.holdfast.api.internal.Names;
import dev.holdfast.api.internal.Suggestion;
import dev.holdfast.server.http.Quotas;
import dev.holdfast.server.http.TrustedProxies;
import dev.holdfast.server.log.ServerLog;
import dev.holdfast.server.trace.TraceSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * The values of all keys, and where each came from. Later sources override earlier ones: defaults,
 * a YAML file, variables of the environment, flags.
 */
public final class Configuration {
  private static final List<Key> KEYS =
      List.of(
          Key.of(
              "mode", "all", "What this process does: all, or a list of api, worker, scheduler."),
          Key.of("host", "127.0.0.1", "The address to listen on; 0.0.0.0 for all."),
          Key.of("port", "7420", "The port to listen on; 0 for any free one."),
          Key.of("basePath", "", "What all paths start with, behind a proxy."),
          Key.of("bodyLimit", "4194304", "The largest body of a request, in bytes."),
          Key.of("requestsPerSecond", "0", "How many requests a second a key may make; 0 for any."),
          Key.of("tls.certificate", "", "The PEM file of the certificate and its chain."),
          Key.of("tls.key", "", "The PEM file of its private key (PKCS #8, not encrypted)."),
          Key.of("trustedProxies", "", "Addresses or ranges whose X-Forwarded headers count."),
          Key.of("idleTimeout", "PT30S", "How long a connection may be silent."),
          Key.of("requestTimeout", "PT30S", "How long clients may take to send or read."),
          Key.of("quotas.queuedJobs", "0", "How many jobs of a tenant may wait; 0 for any."),
          Key.of("quotas.openRuns", "0", "How many runs of a tenant may be open; 0 for any."),
          Key.of("quotas.payloadBytes", "0", "The largest request that creates work; 0 for any."),
          Key.of("quotas.schedules", "0", "How many schedules a tenant may have; 0 for any."),
          Key.of(
              "quotas.requestsPerSecond",
              "0",
              "How many requests a second all keys of a tenant may make; 0 for any."),
          Key.of("log.format", "text", "How the log is written: plain text, or json."),
          Key.of(
              "log.level", "warn", "The level of the log: off, error, warn, info, debug, trace."),
          Key.of("dataDir", "", "The folder of the embedded database."),
          Key.of("database.url", "", "The JDBC URL of the database; the embedded one if empty."),
          Key.of("database.user", "", "The user to log in as."),
          Key.secret("database.password", "The password of the user."),
          Key.of("database.schema", "holdfast_control", "The schema of tenants and keys."),
          Key.of("database.poolSize", "24", "How many connections all tenants share."),
          Key.of("environment", "live", "The name of the installation in its keys."),
          Key.secret("adminKey", "A key of the installation to accept; created if empty."),
          Key.of("queues", "default=100", "How many jobs of each queue and tenant run at once."),
          Key.of("concurrency", "200", "How many jobs run at once, of all tenants together."),
          Key.of("tenants", "", "The tenants to work for, as in a,b; empty for all."),
          Key.of("tenantIdle", "PT1M", "How long to stay in a tenant without work."),
          Key.of(
              "nodeTimeout",
              "PT60S",
              "How long a server may be silent before it is declared dead."),
          Key.of(
              "trustPackages",
              "false",
              "true to run code of packages in this process although there are several tenants."),
          Key.of("drain", "PT25S", "How long running jobs may take when the server stops."),
          Key.of("keepAudit", "P400D", "How long entries of the audit log are kept."),
          Key.of("otel.sdkDisabled", "", "true to send no traces; false."),
          Key.of("otel.tracesExporter", "", "otlp or none; otlp if there is an endpoint."),
          Key.of("otel.exporterOtlpEndpoint", "", "The collector, such as http://host:4318."),
          Key.of("otel.exporterOtlpProtocol", "", "http/json, which all collectors accept."),
          Key.secret("otel.exporterOtlpHeaders", "Headers for the collector, as in a=1,b=2."),
          Key.of("otel.exporterOtlpTimeout", "", "How long a batch may take, in ms; 10000."),
          Key.of("otel.exporterOtlpTracesEndpoint", "", "Where traces are posted, as it is."),
          Key.of("otel.exporterOtlpTracesProtocol", "", "The protocol for traces."),
          Key.secret("otel.exporterOtlpTracesHeaders", "The headers for traces."),
          Key.of("otel.exporterOtlpTracesTimeout", "", "How long a batch of traces may take."),
          Key.of("otel.serviceName", "", "The name of this service in traces; holdfast."),
          Key.of("otel.resourceAttributes", "", "What else describes it, as in a=1,b=2."),
          Key.of("otel.tracesSampler", "", "Which traces are recorded, as OpenTelemetry says."),
          Key.of("otel.tracesSamplerArg", "", "The argument of the sampler, such as 0.1."));

  private static final String DEFAULT = "default";
  private static final String VARIABLES = "HOLDFAST_";

  /** Variables with this prefix that belong to the command and the launcher, not to the server. */
  private static final Set<String> FOREIGN =
      Set.of(
          "HOLDFAST_JAVA_OPTS",
          "HOLDFAST_CLASSPATH",
          "HOLDFAST_CONFIG",
          "HOLDFAST_URL",
          "HOLDFAST_KEY",
          "HOLDFAST_TENANT",
          "HOLDFAST_PROFILE");

  private final Map<String, Value> values;

  /**
   * A value and its source.
   *
   * @param text empty for none
   */
  public record Value(String key, String text, String source, boolean secret) {
    /** Returns the value as it may be printed. */
    public String shown() {
      return secret && !text.isEmpty() ? "(secret)" : text;
    }
  }

  private Configuration(Map<String, Value> values) {
    this.values = values;
  }

  /**
   * A value that was given in the command line.
   *
   * @param option the option as the user has typed it, without the value
   */
  public record Flag(String text, String option) {
    /** Returns a value that was given with the option for all keys. */
    public static Flag set(String key, String text) {
      return new Flag(text, "--set %s=".formatted(key));
    }
  }

  /**
   * Reads the configuration of a program that has no options of its own.
   *
   * @param set the values of keys
   * @see #of
   */
  public static Configuration read(
      @Nullable Path file, Map<String, String> environment, Map<String, String> set) {
    Map<String, Flag> flags = new LinkedHashMap<>();
    set.forEach((key, text) -> flags.put(key, Flag.set(key, text)));
    return of(file, environment, flags);
  }

  /**
   * Reads the configuration.
   *
   * @param file the YAML file; null for none
   * @param environment the variables of the environment
   * @param flags the values of flags, by key; only those that were given
   * @throws ConfigException if a key is not known, is given twice, or has a wrong form
   */
  public static Configuration of(
      @Nullable Path file, Map<String, String> environment, Map<String, Flag> flags) {
    Map<String, Value> values = new LinkedHashMap<>();
    KEYS.forEach(key -> put(values, key, key.standard(), DEFAULT));
    if (file != null) {
      yaml(file)
          .forEach(
              (name, text) -> put(values, known(name, file.toString()), text, file.toString()));
    }
    environment(environment, values);
    flags.forEach(
        (name, flag) -> put(values, known(name, "the flags"), flag.text(), flag.option()));
    return new Configuration(values);
  }

  private static void put(Map<String, Value> values, Key key, String text, String source) {
    values.put(key.name(), new Value(key.name(), text, source, key.secret()));
  }

  private static Key known(String name, String where) {
    return find(name)
        .orElseThrow(() ->
            new ConfigException(
                "'%s' in %s is not a key: %s"
                    .formatted(
                        name,
                        where,
                        Suggestion.orElse(
                            name,
                            names(),
                            "use one of %s.".formatted(String.join(", ", names()))))));
  }

  private static Optional<Key> find(String name) {
    return KEYS.stream().filter(key -> key.name().equals(name)).findFirst();
  }

  private static List<String> names() {
    return KEYS.stream().map(Key::name).toList();
  }

  private static void environment(Map<String, String> environment, Map<String, Value> values) {
    List<String> variables = KEYS.stream().map(Key::variable).toList();
    environment.forEach((name, text) -> {
      int index = variables.indexOf(name);
      boolean ours = index >= 0 || (name.startsWith(VARIABLES) && !FOREIGN.contains(name));
      if (!ours || text.isEmpty()) {
        return;
      }
      if (index < 0) {
        throw new ConfigException(
            "The variable %s is not known: %s"
                .formatted(
                    name,
                    Suggestion.orElse(
                        name,
                        variables,
                        "use one of %s.".formatted(String.join(", ", variables)))));
      }
      put(values, KEYS.get(index), text, name);
    });
  }

  private static Map<String, String> yaml(Path file) {
    String text;
    try {
      text = Files.readString(file);
    } catch (IOException failure) {
      throw new ConfigException(
          "The configuration %s cannot be read: %s.".formatted(file, failure));
    }
    if (text.isBlank()) {
      return Map.of();
    }
    JsonNode root;
    try {
      root =
          YAMLMapper.builder()
              .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
              .build()
              .readTree(text);
    } catch (JacksonException wrong) {
      String message = String.valueOf(wrong.getOriginalMessage()).lines().findFirst().orElse("");
      throw new ConfigException(
          "The configuration %s is not valid, at line %d: %s"
              .formatted(
                  file,
                  wrong.getLocation() == null ? 0 : wrong.getLocation().getLineNr(),
                  message));
    }
    if (root.isMissingNode() || root.isNull()) {
      return Map.of();
    }
    if (!root.isObject()) {
      throw new ConfigException(
          "The configuration %s is not valid: write lines such as 'port: 7420'.".formatted(file));
    }
    Map<String, String> found = new LinkedHashMap<>();
    flatten(file, "", root, found);
    return found;
  }

  private static void flatten(
      Path file, String prefix, JsonNode object, Map<String, String> found) {
    object.forEachEntry((name, value) -> {
      String full = prefix + name;
      if (full.equals("queues") && value.isObject()) {
        List<String> pairs = new ArrayList<>();
        value.forEachEntry((queue, most) -> pairs.add(queue + "=" + most.asString()));
        found.put(full, String.join(",", pairs));
      } else if (value.isObject()) {
        flatten(file, full + ".", value, found);
      } else if (value.isArray()) {
        List<String> items = new ArrayList<>();
        value.forEach(item -> items.add(item.asString()));
        found.put(full, String.join(",", items));
      } else {
        found.put(full, value.isNull() ? "" : value.asString());
      }
    });
  }

  /**
   * Returns how the log is written.
   *
   * @throws ConfigException if the format is not valid
   */
  public ServerLog.Format logFormat() {
    return switch (text("log.format").strip().toLowerCase(Locale.ROOT)) {
      case "text" -> ServerLog.Format.TEXT;
      case "json" -> ServerLog.Format.JSON;
      default -> throw invalid("log.format", "give text or json");
    };
  }

  /**
   * Returns the level of the log; null if it is not configured.
   *
   * @throws ConfigException if there is no such level
   */
  public @Nullable String logLevel() {
    Value level = value("log.level");
    if (!ServerLog.isLevel(level.text().strip())) {
      throw invalid("log.level", "give off, error, warn, info, debug or trace");
    }
    return level.source().equals(DEFAULT) ? null : level.text().strip();
  }

  /** Returns all values, in the order of the documentation. */
  public List<Value> values() {
    return List.copyOf(values.values());
  }

  /** Returns what all keys mean, by key. */
  public static Map<String, String> meanings() {
    Map<String, String> meanings = new LinkedHashMap<>();
    KEYS.forEach(key -> meanings.put(key.name(), key.meaning()));
    return meanings;
  }

  /**
   * Returns the configuration that the values describe.
   *
   * @throws ConfigException if a value is not valid
   */
  public ServerConfig server() {
    logFormat();
    logLevel();
    return new ServerConfig(
        modes(),
        new ServerConfig.Http(
            text("host"),
            integer("port"),
            text("basePath"),
            integer("bodyLimit"),
            integer("requestsPerSecond"),
            tls(),
            proxies(),
            new ServerConfig.Timeouts(duration("idleTimeout"), duration("requestTimeout")),
            quotas()),
        new ServerConfig.Database(
            orNull("database.url"),
            orNull("database.user"),
            orNull("database.password"),
            text("database.schema"),
            integer("database.poolSize")),
        dataDir(),
        text("environment"),
        orNull("adminKey"),
        queues(),
        new ServerConfig.Work(
            integer("concurrency"),
            tenants(),
            duration("tenantIdle"),
            duration("nodeTimeout"),
            truth("trustPackages")),
        duration("drain"),
        duration("keepAudit"),
        tracing());
  }

  private @Nullable TraceSettings tracing() {
    try {
      Map<String, String> variables = new LinkedHashMap<>();
      KEYS.stream()
          .filter(key -> key.variable().startsWith("OTEL_"))
          .forEach(key -> variables.put(key.variable(), text(key.name()).strip()));
      return TraceSettings.of(variables);
    } catch (IllegalArgumentException wrong) {
      throw new ConfigException(String.valueOf(wrong.getMessage()));
    }
  }

  private ServerConfig.@Nullable Tls tls() {
    String certificate = orNull("tls.certificate");
    String key = orNull("tls.key");
    if (certificate == null && key == null) {
      return null;
    }
    if (certificate == null || key == null) {
      throw new ConfigException("Give both tls.certificate and tls.key, or neither.");
    }
    return new ServerConfig.Tls(Path.of(certificate), Path.of(key));
  }

  private Quotas.Limits quotas() {
    try {
      return new Quotas.Limits(
          integer("quotas.queuedJobs"),
          integer("quotas.openRuns"),
          integer("quotas.payloadBytes"),
          integer("quotas.schedules"),
          integer("quotas.requestsPerSecond"));
    } catch (IllegalArgumentException wrong) {
      throw new ConfigException(String.valueOf(wrong.getMessage()));
    }
  }

  private List<String> proxies() {
    List<String> proxies = new ArrayList<>();
    for (String word : text("trustedProxies").split(",", -1)) {
      if (!word.isBlank()) {
        proxies.add(word.strip());
      }
    }
    try {
      TrustedProxies.of(proxies);
    } catch (IllegalArgumentException wrong) {
      throw invalid("trustedProxies", "give addresses or ranges such as 10.0.0.0/8");
    }
    return proxies;
  }

  private Value value(String key) {
    Value value = values.get(key);
    if (value == null) {
      throw new IllegalArgumentException("There is no key " + key);
    }
    return value;
  }

  private String text(String key) {
    return value(key).text();
  }

  private @Nullable String orNull(String key) {
    String text = text(key);
    return text.isEmpty() ? null : text;
  }

  private int integer(String key) {
    try {
      return Integer.parseInt(text(key).strip());
    } catch (NumberFormatException notANumber) {
      throw invalid(key, "give a whole number");
    }
  }

  private Duration duration(String key) {
    try {
      return Duration.parse(text(key).strip());
    } catch (DateTimeParseException notADuration) {
      throw invalid(key, "give a duration such as PT25S");
    }
  }

  private boolean truth(String key) {
    return switch (text(key).strip().toLowerCase(Locale.ROOT)) {
      case "true" -> true;
      case "false", "" -> false;
      default -> throw invalid(key, "give true or false");
    };
  }

  private ConfigException invalid(String key, String remedy) {
    Value value = value(key);
    return new ConfigException(
        "%s '%s' (from %s) is not valid: %s."
            .formatted(key, value.shown(), value.source(), remedy));
  }

  private Set<ServerMode> modes() {
    Set<ServerMode> modes = EnumSet.noneOf(ServerMode.class);
    for (String word : text("mode").split(",", -1)) {
      switch (word.strip().toLowerCase(Locale.ROOT)) {
        case "all" -> modes.addAll(EnumSet.allOf(ServerMode.class));
        case "api" -> modes.add(ServerMode.API);
        case "worker" -> modes.add(ServerMode.WORKER);
        case "scheduler" -> modes.add(ServerMode.SCHEDULER);
        default -> throw invalid("mode", "give all, or a list of api, worker and scheduler");
      }
    }
    return modes;
  }

  private Set<String> tenants() {
    return Arrays.stream(text("tenants").split(",", -1))
        .map(String::strip)
        .filter(name -> !name.isEmpty())
        .collect(Collectors.toUnmodifiableSet());
  }

  private Map<String, Integer> queues() {
    Map<String, Integer> queues = new LinkedHashMap<>();
    for (String pair : text("queues").split(",", -1)) {
      String[] parts = pair.strip().split("=", -1);
      try {
        String queue = Names.queue(parts[0].strip());
        if (parts.length != 2 || queues.put(queue, Integer.valueOf(parts[1].strip())) != null) {
          throw invalid("queues", "give each queue once, as in default=100,mail=20");
        }
      } catch (IllegalArgumentException wrong) {
        throw invalid("queues", "give a list such as default=100,mail=20");
      }
    }
    return queues;
  }

  private Path dataDir() {
    String given = text("dataDir");
    if (!given.isEmpty()) {
      return Path.of(given);
    }
    String xdg = System.getenv().getOrDefault("XDG_DATA_HOME", "");
    Path base =
        xdg.isBlank() ? Path.of(System.getProperty("user.home"), ".local", "share") : Path.of(xdg);
    return base.resolve("holdfast").resolve("server");
  }
}
