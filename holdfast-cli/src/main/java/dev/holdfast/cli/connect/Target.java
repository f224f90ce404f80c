package dev.holdfast.cli.connect;

import dev.holdfast.cli.database.DatabaseOptions;
import dev.holdfast.cli.print.DurationConverter;
import dev.holdfast.server.api.LocalApi;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that choose the server or database of a command, and how it prints. */
public final class Target {
  private static final String LOCAL = "http://127.0.0.1:7420";

  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init")
  private CommandSpec command;

  @Option(
      names = {"-o", "--output"},
      order = 101,
      paramLabel = "FORMAT",
      description = "How to print: ${COMPLETION-CANDIDATES}. Defaults to table.")
  private Output output = Output.TABLE;

  @Option(names = "--json", order = 101, description = "The same as --output json.")
  private boolean json;

  @Option(
      names = "--profile",
      order = 102,
      paramLabel = "NAME",
      description = {
        "The profile with the URL and the key of a server; see 'holdfast profile'.",
        "Defaults to $$HOLDFAST_PROFILE, or the current profile."
      })
  private @Nullable String profile;

  @Option(
      names = "--url",
      order = 103,
      paramLabel = "URL",
      description = "The URL of a server. Defaults to $$HOLDFAST_URL, or that of the profile.")
  private @Nullable String url;

  @Option(
      names = "--key",
      order = 104,
      paramLabel = "KEY",
      arity = "0..1",
      interactive = true,
      echo = false,
      description = {
        "The key. Without a value, the command prompts for it.",
        "Defaults to $$HOLDFAST_KEY, or that of the profile."
      })
  private @Nullable String key;

  @Option(
      names = "--tenant",
      order = 105,
      paramLabel = "NAME",
      description = {
        "The tenant to act in. Defaults to $$HOLDFAST_TENANT, that of the profile, or that of the"
            + " key."
      })
  private @Nullable String tenant;

  @Option(
      names = "--timeout",
      order = 106,
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "How long to wait for a response of the server, with retries. Defaults to 30s.")
  private Duration timeout = Duration.ofSeconds(30);

  @Mixin private final DatabaseOptions database = new DatabaseOptions();

  /** What a command does. */
  @FunctionalInterface
  public interface Work {
    /** Returns the exit code. */
    int on(Session session);
  }

  /** Which kind of back end a command can use. */
  private enum Kind {
    SERVER,
    DATABASE
  }

  /** Executes a command on the server or database that the options choose. */
  public int run(Work work) {
    return switch (chosen()) {
      case SERVER -> on(server(), work);
      case DATABASE -> on(database(), work);
    };
  }

  /**
   * Executes a command that posts to one thing.
   *
   * @param done what is printed when it is done
   * @param path the path below the tenant, such as "runs", its id and "pause"
   */
  public int post(String done, String... path) {
    return run(session -> session.done(session.post(session.path(path)), done));
  }

  /**
   * Executes a command that deletes one thing.
   *
   * @param done what is printed when it is done
   * @param path the path below the tenant
   */
  public int delete(String done, String... path) {
    return run(session -> session.done(session.delete(session.path(path)), done));
  }

  /** Executes a command that only a server can carry out. */
  public int onServer(Work work) {
    if (chosen() == Kind.DATABASE) {
      throw wrongUse(
          "'%s' needs a server: use --url, --profile or 'holdfast profile add'."
              .formatted(command.qualifiedName()));
    }
    return on(server(), work);
  }

  /** Executes a command that only a database can carry out. */
  public int onDatabase(Work work) {
    if (chosen() == Kind.SERVER) {
      throw wrongUse(
          "'%s' works on a database only: use --database-url.".formatted(command.qualifiedName()));
    }
    return on(database(), work);
  }

  private static int on(Session session, Work work) {
    try (session) {
      return work.on(session);
    }
  }

  /** Returns whether the command is to print JSON. */
  public boolean json() {
    return json || output == Output.JSON;
  }

  /** Returns the exception that reports invalid arguments, with exit code 2. */
  public ParameterException wrongUse(String sentence) {
    return new ParameterException(command.commandLine(), sentence);
  }

  /** Returns a value read from the arguments; an invalid value is reported as wrong use. */
  public <T> T checked(Supplier<T> read) {
    try {
      return read.get();
    } catch (IllegalArgumentException wrong) {
      throw wrongUse(String.valueOf(wrong.getMessage()));
    }
  }

  private Map<String, String> variables() {
    return environment().variables();
  }

  private Environment environment() {
    return command.root().userObject() instanceof Environment root ? root : System::getenv;
  }

  private @Nullable String variable(String name) {
    String value = variables().getOrDefault(name, "");
    return value.isBlank() ? null : value;
  }

  private boolean given(String option) {
    return command.commandLine().getParseResult().hasMatchedOption(option);
  }

  /** Flags decide before variables, and variables before the current profile. */
  private Kind chosen() {
    Optional<Kind> byFlag =
        either(
            url != null || profile != null,
            given("--database-url") || given("--data-folder"),
            "--url or --profile, and --database-url or --data-folder");
    if (byFlag.isPresent()) {
      return byFlag.get();
    }
    Optional<Kind> byVariable =
        either(
            variable("HOLDFAST_URL") != null || variable("HOLDFAST_PROFILE") != null,
            database.named().isPresent(),
            "HOLDFAST_URL or HOLDFAST_PROFILE, and HOLDFAST_DATABASE_URL");
    if (byVariable.isPresent()) {
      return byVariable.get();
    }
    boolean keyed = key != null || variable("HOLDFAST_KEY") != null;
    if (keyed || Profiles.read(environment()).chosen().isPresent()) {
      return Kind.SERVER;
    }
    if (Files.exists(database.dataFolder())) {
      return Kind.DATABASE;
    }
    throw wrongUse(
        "No server and no database is given: start a server with 'holdfast serve', name one with"
            + " --url or 'holdfast profile add', or name a database with --database-url.");
  }

  private Optional<Kind> either(boolean server, boolean isDatabase, String both) {
    if (server && isDatabase) {
      throw wrongUse("Both a server and a database are given (%s): give one.".formatted(both));
    }
    return server
        ? Optional.of(Kind.SERVER)
        : isDatabase ? Optional.of(Kind.DATABASE) : Optional.empty();
  }

  private Session database() {
    try {
      return session(new DatabaseApi(database.open()), LocalApi.TENANT);
    } catch (SQLException failure) {
      throw ApiException.refused(
          ExitCode.of(failure), "The database cannot be used: " + failure.getMessage());
    }
  }

  private Session session(Api api, String name) {
    return new Session(
        api, name, json(), command.commandLine().getOut(), command.commandLine().getErr());
  }

  private Session server() {
    // A profile that is named on the command line is meant as a whole.
    boolean variables = profile == null;
    Profile saved = profile();
    String address = first(url, variables ? variable("HOLDFAST_URL") : null);
    String secret = first(key, variables ? variable("HOLDFAST_KEY") : null);
    String name = first(tenant, variables ? variable("HOLDFAST_TENANT") : null);
    boolean usesProfile = saved != null && (address == null || same(address, saved.url()));
    if (saved != null && usesProfile) {
      address = saved.url();
      // A key belongs to its server; it is not sent to another one.
      name = first(name, secret == null ? saved.tenant() : null);
      secret = first(secret, saved.key());
    }
    if (secret == null) {
      throw ApiException.refused(
          ExitCode.REFUSED,
          "No key for %s is given: use HOLDFAST_KEY, --key or 'holdfast profile add'."
              .formatted(address == null ? LOCAL : address));
    }
    String checkedKey = checkedKey(secret);
    return session(
        new HttpApi(uri(address == null ? LOCAL : address), checkedKey, timeout),
        name != null ? name : KeyName.tenant(checkedKey).orElse(LocalApi.TENANT));
  }

  private @Nullable Profile profile() {
    String named = first(profile, variable("HOLDFAST_PROFILE"));
    Profiles profiles = Profiles.read(environment());
    return named != null ? profiles.get(named) : profiles.chosen().orElse(null);
  }

  private static @Nullable String first(@Nullable String one, @Nullable String other) {
    return one != null ? one : other;
  }

  private static boolean same(String one, String other) {
    return one.replaceFirst("/+$", "").equals(other.replaceFirst("/+$", ""));
  }

  private String checkedKey(String text) {
    String stripped = text.strip();
    if (!stripped.matches("[!-~]+")) {
      throw wrongUse("The key contains characters that no key has: copy it again.");
    }
    return stripped;
  }

  private URI uri(String text) {
    try {
      return server(text);
    } catch (IllegalArgumentException wrong) {
      throw wrongUse(String.valueOf(wrong.getMessage()));
    }
  }

  /**
   * Parses the URL of a server.
   *
   * @throws IllegalArgumentException if it is not valid
   */
  public static URI server(String text) {
    try {
      URI uri = new URI(text.strip().replaceFirst("/+$", ""));
      String scheme = uri.getScheme();
      if (uri.getHost() != null
          && ("http".equals(scheme) || "https".equals(scheme))
          && uri.getQuery() == null
          && uri.getUserInfo() == null) {
        return uri;
      }
    } catch (URISyntaxException wrong) {
      // Reported below, like any other text that is no URL of a server.
    }
    throw new IllegalArgumentException(
        "'%s' is not the URL of a server: use one such as %s.".formatted(text, LOCAL));
  }
}
