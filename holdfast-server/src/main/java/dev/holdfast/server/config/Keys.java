package dev.holdfast.server.config;

import dev.holdfast.api.internal.Suggestion;
import java.util.List;

/** All keys of the configuration, in the order of the documentation. */
final class Keys {
  static final List<Key> ALL =
      List.of(
          Key.of(
              "mode", "all", "What this process does: all, or a list of api, worker, scheduler."),
          Key.of("host", "127.0.0.1", "The address to listen on; 0.0.0.0 for all."),
          Key.of("port", "7420", "The port to listen on; 0 for any free one."),
          Key.of("basePath", "", "The prefix of all paths, for use behind a proxy."),
          Key.of("bodyLimit", "4194304", "The largest body of a request, in bytes."),
          Key.of(
              "requestsPerSecond",
              "0",
              "How many requests a second a key may make; 0 for no limit."),
          Key.of("tls.certificate", "", "The PEM file of the certificate and its chain."),
          Key.of("tls.key", "", "The PEM file of its private key (PKCS #8, not encrypted)."),
          Key.of(
              "trustedProxies", "", "Addresses or ranges whose X-Forwarded headers are trusted."),
          Key.of("idleTimeout", "PT30S", "How long a connection may be idle."),
          Key.of(
              "requestTimeout",
              "PT30S",
              "How long a client may take to send a request or read a response."),
          Key.of("quotas.queuedJobs", "0", "How many jobs of a tenant may wait; 0 for no limit."),
          Key.of("quotas.openRuns", "0", "How many runs of a tenant may be open; 0 for no limit."),
          Key.of(
              "quotas.payloadBytes", "0", "The largest request that creates work; 0 for no limit."),
          Key.of("quotas.schedules", "0", "How many schedules a tenant may have; 0 for no limit."),
          Key.of(
              "quotas.requestsPerSecond",
              "0",
              "How many requests a second all keys of a tenant may make; 0 for no limit."),
          Key.of("log.format", "text", "The format of the log: text or json."),
          Key.of("log.level", "warn", "The log level: off, error, warn, info, debug or trace."),
          Key.of("dataDir", "", "The folder of the embedded database."),
          Key.of("database.url", "", "The JDBC URL of the database; the embedded one if empty."),
          Key.of("database.user", "", "The database user."),
          Key.secret("database.password", "The password of the user."),
          Key.of("database.schema", "holdfast_control", "The schema of tenants and keys."),
          Key.of("database.poolSize", "24", "How many connections all tenants share."),
          Key.of("environment", "live", "The name of the installation in its keys."),
          Key.secret(
              "adminKey",
              "A key of the installation to accept; if empty, the first start creates one."),
          Key.secret("secrets.key", "The master key of secrets: 32 bytes in Base64."),
          Key.of("secrets.keyFile", "", "A file with the master key of secrets."),
          Key.secret("secrets.oldKey", "The previous master key, while secrets are rotated."),
          Key.of("secrets.oldKeyFile", "", "A file with the previous master key."),
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
          Key.of(
              "packages.heap",
              "256",
              "The heap of the process that runs the packages of a tenant, in MB."),
          Key.of("packages.cpus", "0", "How many CPUs that process may use; 0 for half of them."),
          Key.of("packages.files", "1024", "How many files and connections it may have open."),
          Key.of("packages.threads", "512", "How many threads and processes it may have."),
          Key.of("drain", "PT25S", "How long running jobs may take when the server stops."),
          Key.of("keepAudit", "P400D", "How long entries of the audit log are kept."),
          Key.of("otel.sdkDisabled", "", "true to send no traces. Defaults to false."),
          Key.of(
              "otel.tracesExporter", "", "otlp or none. Defaults to otlp if there is an endpoint."),
          Key.of("otel.exporterOtlpEndpoint", "", "The collector, such as http://host:4318."),
          Key.of("otel.exporterOtlpProtocol", "", "http/json, which all collectors accept."),
          Key.secret("otel.exporterOtlpHeaders", "Headers for the collector, as in a=1,b=2."),
          Key.of(
              "otel.exporterOtlpTimeout",
              "",
              "How long a batch may take, in ms. Defaults to 10000."),
          Key.of("otel.exporterOtlpTracesEndpoint", "", "The URL for traces; nothing is appended."),
          Key.of("otel.exporterOtlpTracesProtocol", "", "The protocol for traces."),
          Key.secret("otel.exporterOtlpTracesHeaders", "The headers for traces."),
          Key.of("otel.exporterOtlpTracesTimeout", "", "How long a batch of traces may take."),
          Key.of(
              "otel.serviceName", "", "The name of this service in traces. Defaults to holdfast."),
          Key.of(
              "otel.resourceAttributes", "", "Further attributes of this service, as in a=1,b=2."),
          Key.of(
              "otel.tracesSampler",
              "",
              "Which traces are recorded: the name of a sampler of OpenTelemetry."),
          Key.of("otel.tracesSamplerArg", "", "The argument of the sampler, such as 0.1."));

  private Keys() {}

  /**
   * Returns the key of this name.
   *
   * @param where names the source of the name, for the message
   * @throws ConfigException if there is no such key
   */
  static Key named(String name, String where) {
    List<String> names = ALL.stream().map(Key::name).toList();
    int index = names.indexOf(name);
    if (index < 0) {
      throw new ConfigException(
          "'%s' in %s is not a key: %s"
              .formatted(
                  name,
                  where,
                  Suggestion.orElse(
                      name, names, "use one of %s.".formatted(String.join(", ", names)))));
    }
    return ALL.get(index);
  }
}
