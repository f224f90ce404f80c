package dev.holdfast.server.config;

import dev.holdfast.api.internal.Names;
import dev.holdfast.api.internal.Suggestion;
import dev.holdfast.server.http.Quotas;
import dev.holdfast.server.http.TrustedProxies;
import dev.holdfast.server.log.ServerLog;
import dev.holdfast.server.secret.MasterKey;
import dev.holdfast.server.secret.MasterKeys;
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
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The values of all keys, and where each came from. Later sources override earlier ones: defaults,
 * a YAML file, variables of the environment, flags.
 */
public final class Configuration {
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
   * Reads the configuration of a program that has no command-line options.
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
    Keys.ALL.forEach(key -> put(values, key, key.standard(), DEFAULT));
    if (file != null) {
      YamlFile.read(file)
          .forEach((name, text) ->
              put(values, Keys.named(name, file.toString()), text, file.toString()));
    }
    environment(environment, values);
    flags.forEach(
        (name, flag) -> put(values, Keys.named(name, "the flags"), flag.text(), flag.option()));
    return new Configuration(values);
  }

  private static void put(Map<String, Value> values, Key key, String text, String source) {
    values.put(key.name(), new Value(key.name(), text, source, key.secret()));
  }

  private static void environment(Map<String, String> environment, Map<String, Value> values) {
    List<String> variables = Keys.ALL.stream().map(Key::variable).toList();
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
      put(values, Keys.ALL.get(index), text, name);
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
    Keys.ALL.forEach(key -> meanings.put(key.name(), key.meaning()));
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
            integer("concurrency"), tenants(), duration("tenantIdle"), duration("nodeTimeout")),
        new ServerConfig.Packages(
            truth("trustPackages"),
            integer("packages.heap"),
            integer("packages.cpus"),
            integer("packages.files"),
            integer("packages.threads")),
        duration("drain"),
        duration("keepAudit"),
        tracing(),
        secrets());
  }

  private @Nullable MasterKeys secrets() {
    MasterKey current = masterKey("secrets.key", "secrets.keyFile");
    MasterKey old = masterKey("secrets.oldKey", "secrets.oldKeyFile");
    if (current == null && old != null) {
      throw new ConfigException(
          "There is an old master key (%s) and no current one: give secrets.key or secrets.keyFile."
              .formatted(old.id()));
    }
    return current == null ? null : new MasterKeys(current, old);
  }

  private @Nullable MasterKey masterKey(String inline, String file) {
    String text = orNull(inline);
    String path = orNull(file);
    if (text != null && path != null) {
      throw new ConfigException("Give either %s or %s.".formatted(inline, file));
    }
    try {
      if (path != null) {
        return MasterKey.parse(Files.readString(Path.of(path)));
      }
      return text == null ? null : MasterKey.parse(text);
    } catch (IllegalArgumentException wrong) {
      throw invalid(path != null ? file : inline, String.valueOf(wrong.getMessage()));
    } catch (IOException unreadable) {
      throw invalid(file, "it cannot be read: " + unreadable);
    }
  }

  private @Nullable TraceSettings tracing() {
    try {
      Map<String, String> variables = new LinkedHashMap<>();
      Keys.ALL.stream()
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
