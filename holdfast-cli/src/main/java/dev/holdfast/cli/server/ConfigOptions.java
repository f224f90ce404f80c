package dev.holdfast.cli.server;

import dev.holdfast.cli.connect.Environment;
import dev.holdfast.server.config.Configuration;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options that configure a server. */
final class ConfigOptions {

  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init")
  private CommandSpec command;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "A YAML file with settings. Defaults to $$HOLDFAST_CONFIG, or none.")
  private @Nullable Path file;

  private final Map<String, Configuration.Flag> flags = new LinkedHashMap<>();

  @Option(
      names = "--mode",
      paramLabel = "MODES",
      description =
          "What this process does: all, or a list of api, worker and scheduler. Defaults to all.")
  void mode(String modes) {
    give("mode", modes, "--mode");
  }

  @Option(
      names = "--tenants",
      paramLabel = "NAMES",
      description = "The tenants to work for, as in a,b. Defaults to all.")
  void tenants(String names) {
    give("tenants", names, "--tenants");
  }

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      description = "The address to listen on; 0.0.0.0 for all. Defaults to 127.0.0.1.")
  void host(String address) {
    give("host", address, "--host");
  }

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "The port to listen on; 0 for any free one. Defaults to 7420.")
  void port(String port) {
    give("port", port, "--port");
  }

  @Option(
      names = "--base-path",
      paramLabel = "PATH",
      description = "The prefix of all paths, such as /holdfast. Defaults to nothing.")
  void basePath(String path) {
    give("basePath", path, "--base-path");
  }

  @Option(
      names = "--tls-certificate",
      paramLabel = "FILE",
      description = "Serve HTTPS with the certificate and chain in this PEM file.")
  void certificate(String file) {
    give("tls.certificate", file, "--tls-certificate");
  }

  @Option(
      names = "--tls-key",
      paramLabel = "FILE",
      description = "The PEM file of the key of the certificate.")
  void key(String file) {
    give("tls.key", file, "--tls-key");
  }

  @Option(
      names = "--trusted-proxies",
      paramLabel = "RANGES",
      description = "Addresses or ranges of proxies whose X-Forwarded headers are trusted.")
  void proxies(String ranges) {
    give("trustedProxies", ranges, "--trusted-proxies");
  }

  @Option(
      names = "--log-format",
      paramLabel = "FORMAT",
      description = "How the log is written to standard error: text or json. Defaults to text.")
  void logFormat(String format) {
    give("log.format", format, "--log-format");
  }

  @Option(
      names = "--trust-packages",
      description = {
        "Run code of packages in this process although there are several tenants.",
        "Such code can do everything that the server can: use it only if you trust all of it."
      })
  void trustPackages(boolean trust) {
    give("trustPackages", String.valueOf(trust), "--trust-packages");
  }

  @Option(
      names = "--data-dir",
      paramLabel = "FOLDER",
      description = {
        "The folder of the embedded PostgreSQL, which is used without a database URL.",
        "Defaults to holdfast/server in $$XDG_DATA_HOME or ~/.local/share."
      })
  void dataDir(String folder) {
    give("dataDir", folder, "--data-dir");
  }

  @Option(
      names = "--database-url",
      paramLabel = "URL",
      description = "The JDBC URL of the database. Defaults to an embedded PostgreSQL.")
  void databaseUrl(String url) {
    give("database.url", url, "--database-url");
  }

  @Option(names = "--user", paramLabel = "NAME", description = "The user to log in as.")
  void user(String name) {
    give("database.user", name, "--user");
  }

  @Option(
      names = "--password",
      paramLabel = "TEXT",
      arity = "0..1",
      interactive = true,
      echo = false,
      description = "The password. Without a value, the command prompts for it.")
  void password(String text) {
    give("database.password", text, "--password");
  }

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description =
          "Any other setting, such as drain=PT1M; see 'holdfast config'. May be repeated.")
  void set(Map<String, String> values) {
    values.forEach((key, text) -> flags.put(key, Configuration.Flag.set(key, text)));
  }

  private void give(String key, String text, String option) {
    flags.put(key, new Configuration.Flag(text, option));
  }

  Configuration read() {
    Environment environment =
        command.root().userObject() instanceof Environment root ? root : System::getenv;
    String level = environment.logLevel();
    if (level != null) {
      give("log.level", level, "--log-level");
    }
    String named = environment.variables().getOrDefault("HOLDFAST_CONFIG", "");
    return Configuration.of(
        file == null && !named.isEmpty() ? Path.of(named) : file, environment.variables(), flags);
  }
}
