package dev.holdfast.cli.server;

import dev.holdfast.server.config.Configuration;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that configure a server. */
final class ConfigOptions {

  @Option(
      names = "--config",
      paramLabel = "FILE",
      defaultValue = "${env:HOLDFAST_CONFIG}",
      description = "A YAML file with settings. Defaults to $$HOLDFAST_CONFIG, or none.")
  private @Nullable Path file;

  private final Map<String, String> flags = new LinkedHashMap<>();

  @Option(
      names = "--mode",
      paramLabel = "MODES",
      description =
          "What this process does: all, or a list of api, worker and scheduler. Defaults to all.")
  void mode(String modes) {
    flags.put("mode", modes);
  }

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      description = "The address to listen on; 0.0.0.0 for all. Defaults to 127.0.0.1.")
  void host(String address) {
    flags.put("host", address);
  }

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "The port to listen on; 0 for any free one. Defaults to 7420.")
  void port(String port) {
    flags.put("port", port);
  }

  @Option(
      names = "--base-path",
      paramLabel = "PATH",
      description = "What all paths start with, such as /holdfast. Defaults to nothing.")
  void basePath(String path) {
    flags.put("basePath", path);
  }

  @Option(
      names = "--tls-certificate",
      paramLabel = "FILE",
      description = "Serve HTTPS with the certificate and chain in this PEM file.")
  void certificate(String file) {
    flags.put("tls.certificate", file);
  }

  @Option(
      names = "--tls-key",
      paramLabel = "FILE",
      description = "The PEM file of the key of the certificate.")
  void key(String file) {
    flags.put("tls.key", file);
  }

  @Option(
      names = "--trusted-proxies",
      paramLabel = "RANGES",
      description = "Addresses or ranges of proxies whose X-Forwarded headers count.")
  void proxies(String ranges) {
    flags.put("trustedProxies", ranges);
  }

  @Option(
      names = "--log-format",
      paramLabel = "FORMAT",
      description = "How the log is written to standard error: text or json. Defaults to text.")
  void logFormat(String format) {
    flags.put("log.format", format);
  }

  @Option(
      names = "--data-dir",
      paramLabel = "FOLDER",
      description = {
        "The folder of the embedded PostgreSQL, which is used without a database URL.",
        "Defaults to holdfast/server in $$XDG_DATA_HOME or ~/.local/share."
      })
  void dataDir(String folder) {
    flags.put("dataDir", folder);
  }

  @Option(
      names = "--database-url",
      paramLabel = "URL",
      description = "The JDBC URL of the database. Defaults to an embedded PostgreSQL.")
  void databaseUrl(String url) {
    flags.put("database.url", url);
  }

  @Option(names = "--user", paramLabel = "NAME", description = "The user to log in as.")
  void user(String name) {
    flags.put("database.user", name);
  }

  @Option(
      names = "--password",
      paramLabel = "TEXT",
      arity = "0..1",
      interactive = true,
      echo = false,
      description = "The password. Without a value, the command prompts for it.")
  void password(String text) {
    flags.put("database.password", text);
  }

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description =
          "Any other setting, such as drain=PT1M; see 'holdfast config'. May be repeated.")
  void set(Map<String, String> values) {
    flags.putAll(values);
  }

  Configuration read() {
    return Configuration.read(file, System.getenv(), flags);
  }
}
