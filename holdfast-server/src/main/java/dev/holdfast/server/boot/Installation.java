package dev.holdfast.server.boot;

import dev.holdfast.embedded.EmbeddedPostgres;
import dev.holdfast.postgres.SharedConnections;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.server.audit.AuditLog;
import dev.holdfast.server.config.ServerConfig;
import dev.holdfast.server.control.ControlDatabase;
import dev.holdfast.server.control.DatabaseAddress;
import dev.holdfast.server.key.KeyStore;
import dev.holdfast.server.secret.TenantSecrets;

/**
 * The database of an installation: what it stores for all tenants together, and the connections
 * that tenants share.
 *
 * @param schema the schema that contains what is common to all tenants
 */
record Installation(
    ControlDatabase control,
    KeyStore keys,
    AuditLog audit,
    TenantSecrets secrets,
    SharedConnections connections,
    String schema) {
  private static final String DATABASE = "holdfast";

  /** Connects to the database, and starts it first if it is the embedded one. */
  static Installation open(ServerConfig config, CloseStack closing) {
    String schema = config.database().schema();
    DatabaseAddress address = address(config, closing);
    ControlDatabase control = ControlDatabase.connect(address, schema);
    closing.push(control::close);
    KeyStore keys = new KeyStore(control, config.environment());
    AuditLog audit = new AuditLog(control);
    TenantSecrets secrets = new TenantSecrets(control, audit, config.secrets(), System::nanoTime);
    secrets.warnOfUnknownKeys();
    SharedConnections connections =
        SharedConnections.open(
            address
                .settings(schema)
                .poolSize(config.database().poolSize())
                .name("holdfast-server")
                .build());
    closing.push(connections::close);
    return new Installation(control, keys, audit, secrets, connections, schema);
  }

  private static DatabaseAddress address(ServerConfig config, CloseStack closing) {
    ServerConfig.Database given = config.database();
    if (given.url() != null) {
      return new DatabaseAddress(given.url(), given.user(), given.password());
    }
    EmbeddedPostgres embedded =
        EmbeddedPostgres.at(config.dataDir().resolve("postgres"))
            .stopOnExit(false)
            .setting("max_connections", "300")
            .setting("max_locks_per_transaction", "256")
            .start();
    closing.push(embedded::close);
    embedded.createDatabase(DATABASE);
    return new DatabaseAddress(embedded.jdbcUrl(DATABASE), embedded.user(), embedded.password());
  }

  /** Returns the connections for statements on what is common to all tenants. */
  Database shared() {
    return connections.control(schema);
  }
}
