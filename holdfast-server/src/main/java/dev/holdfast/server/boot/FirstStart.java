package dev.holdfast.server.boot;

import dev.holdfast.server.audit.Actor;
import dev.holdfast.server.audit.AuditLog;
import dev.holdfast.server.config.ConfigException;
import dev.holdfast.server.control.ControlDatabase;
import dev.holdfast.server.control.ControlDatabase.Statements;
import dev.holdfast.server.key.KeyStore;
import dev.holdfast.server.key.KeyText;
import dev.holdfast.server.key.NewKey;
import dev.holdfast.server.tenant.TenantSettings;
import dev.holdfast.server.tenant.Tenants;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Creates what an installation needs and does not have: a key of the installation, and a tenant.
 */
record FirstStart(ControlDatabase control, KeyStore keys, Tenants tenants, AuditLog audit) {
  private static final String DEFAULT_TENANT = "default";

  /**
   * Creates what is missing. Servers that start at the same time wait for each other, so each thing
   * is created once.
   *
   * @param adminKey the key of the installation to accept; null to create one if there is none
   */
  FirstKeys run(@Nullable String adminKey) {
    return control.alone(
        "create the first keys",
        lock -> {
          // In other transactions: the one with the lock must hold no rows that these need.
          Optional<String> admin =
              control.transaction(
                  "create the first key", statements -> adminKey(statements, adminKey));
          boolean empty = tenants.list(null, 1).isEmpty();
          String tenant =
              empty
                  ? tenants.create(DEFAULT_TENANT, TenantSettings.DEFAULT, Actor.SERVER).key()
                  : null;
          return new FirstKeys(admin.orElse(null), tenant);
        });
  }

  private Optional<String> adminKey(Statements statements, @Nullable String configured) {
    NewKey wanted = NewKey.preset("first admin key", "admin");
    if (configured != null) {
      KeyText text =
          KeyText.parse(configured)
              .filter(key -> key.owner().equals(KeyText.INSTALLATION))
              .orElseThrow(() ->
                  new ConfigException(
                      "adminKey is not valid (it is not shown): give a key of the form"
                          + " holdfast_ENV_admin_ID_SECRET with its checksum, such as one that a"
                          + " server has printed."));
      if (keys.find(statements, null, text.id()).isEmpty()) {
        keys.store(statements, wanted, text);
        audit.record(statements, Actor.SERVER, AuditLog.Act.of("key.create", text.id()));
      }
      return Optional.empty();
    }
    if (keys.hasAdminKey(statements)) {
      return Optional.empty();
    }
    KeyText text = keys.create(statements, null, wanted, KeyText.newId(), null);
    audit.record(statements, Actor.SERVER, AuditLog.Act.of("key.create", text.id()));
    return Optional.of(text.text());
  }
}
