package dev.holdfast.server.tenant;

import dev.holdfast.api.StoreException;
import dev.holdfast.postgres.schema.SchemaScripts;
import dev.holdfast.server.control.ControlDatabase;
import dev.holdfast.server.control.ControlDatabase.Statements;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the tables of all tenants to the version that this program needs, several at a time, one
 * transaction each. A migration that is interrupted is rolled back and continued by any server. A
 * tenant that cannot be migrated stops no other; it is tried again later.
 */
public final class TenantMigrations implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(TenantMigrations.class);
  private static final int AT_ONCE = 4;

  private final ControlDatabase control;
  private final SchemaScripts scripts;
  private volatile boolean closed;

  public TenantMigrations(ControlDatabase control, SchemaScripts scripts) {
    this.control = control;
    this.scripts = scripts;
  }

  /** Returns the version that this program needs. */
  int target() {
    return scripts.target();
  }

  /**
   * Refuses to go on if a newer program has migrated tenants.
   *
   * @throws StoreException if there is such a tenant
   */
  public void requireKnown() {
    control
        .run("read the versions of tenants", TenantStatements::newest)
        .ifPresent(
            newest -> ControlDatabase.requireKnown(newest.schema(), newest.version(), target()));
  }

  /** Creates the tables of a new tenant in the transaction of the caller. */
  void create(Statements statements, Tenant tenant) throws SQLException {
    scripts.apply(statements.handle(), tenant.schema());
    TenantStatements.migrated(statements, tenant.id(), target());
  }

  /**
   * Migrates all tenants that need it and are not being migrated elsewhere.
   *
   * @return how many were migrated
   */
  public int run() {
    if (!control.run(
        "look for tenants to migrate", s -> TenantStatements.anyToMigrate(s, target()))) {
      return 0;
    }
    AtomicInteger migrated = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < AT_ONCE; i++) {
      threads.add(Thread.ofVirtual().name("holdfast-migrate-" + i).start(() -> runAll(migrated)));
    }
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException stopping) {
        Thread.currentThread().interrupt();
        return migrated.get();
      }
    }
    if (migrated.get() > 0) {
      log.info("Migrated the tables of {} tenants to version {}", migrated.get(), target());
    }
    return migrated.get();
  }

  private void runAll(AtomicInteger migrated) {
    while (!closed) {
      Optional<Tenant> candidate =
          control.run("look for tenants to migrate", s -> TenantStatements.toMigrate(s, target()));
      if (candidate.isEmpty()) {
        return;
      }
      Tenant tenant = candidate.get();
      try {
        if (control.transaction("migrate tenant " + tenant.name(), s -> migrate(s, tenant))) {
          migrated.incrementAndGet();
        }
      } catch (RuntimeException failure) {
        failed(tenant, failure);
      }
    }
  }

  private boolean migrate(Statements statements, Tenant tenant) throws SQLException {
    statements.handle().execute("set local lock_timeout = '2s'");
    if (!TenantStatements.lockToMigrate(statements, tenant.id(), target())) {
      return false; // Another server has it.
    }
    create(statements, tenant);
    return true;
  }

  private void failed(Tenant tenant, RuntimeException failure) {
    if (closed) {
      return; // The connection was closed under it. What was done was rolled back.
    }
    log.error(
        "The tables of tenant {} could not be migrated to version {}; other tenants are not"
            + " affected, and it is tried again: {}",
        tenant.name(),
        target(),
        failure.getMessage());
    try {
      control.run(
          "record that tenant %s could not be migrated".formatted(tenant.name()),
          s -> TenantStatements.notMigrated(s, tenant.id(), String.valueOf(failure.getMessage())));
    } catch (StoreException away) {
      log.warn(
          "The failed migration of tenant {} could not be recorded, it is not shown until the next"
              + " try: {}",
          tenant.name(),
          away.getMessage());
    }
  }

  /** Starts no more migrations. */
  @Override
  public void close() {
    closed = true;
  }
}
