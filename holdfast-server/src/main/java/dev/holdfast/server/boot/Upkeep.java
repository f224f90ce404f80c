package dev.holdfast.server.boot;

import dev.holdfast.server.audit.AuditLog;
import dev.holdfast.server.audit.Refusals;
import dev.holdfast.server.http.Idempotency;
import dev.holdfast.server.key.KeyRing;
import dev.holdfast.server.tenant.SchemaTenants;
import dev.holdfast.server.tenant.TenantMigrations;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a server does from time to time: follow changes of tenants, and delete what is old. */
final class Upkeep implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Upkeep.class);

  /** Rare work is also done soon after the start: a server may never run for an hour. */
  private static final int FIRST_SECONDS = 10;

  private final SchemaTenants tenants;
  private final TenantMigrations migrations;
  private final KeyRing ring;
  private final Kept kept;
  private final Refusals refusals;
  private IntPredicate working = tenant -> false;
  private final ScheduledExecutorService timer = timer("holdfast-upkeep");
  private final ScheduledExecutorService migrating = timer("holdfast-migrate");

  /** What is deleted when it is old. */
  record Kept(Idempotency idempotency, AuditLog audit, Duration keepAudit) {}

  Upkeep(
      SchemaTenants tenants,
      TenantMigrations migrations,
      KeyRing ring,
      Kept kept,
      Refusals refusals) {
    this.tenants = tenants;
    this.migrations = migrations;
    this.ring = ring;
    this.kept = kept;
    this.refusals = refusals;
  }

  private static ScheduledExecutorService timer(String name) {
    return Executors.newSingleThreadScheduledExecutor(
        Thread.ofPlatform().daemon().name(name).factory());
  }

  /** Sets the test for tenants in which this server currently works. */
  Upkeep working(IntPredicate works) {
    this.working = works;
    return this;
  }

  /**
   * @param deletes whether this server deletes what is old
   */
  Upkeep start(boolean deletes) {
    repeat(5, "record refused requests", () -> refusals.flush(false));
    repeat(2, "follow changes of tenants", tenants::refresh);
    // Elsewhere: many tenants take a minute, and each is available as soon as it is migrated.
    repeat(migrating, Duration.ZERO, 60, "migrate tenants", this::migrate);
    repeat(60, "release memory of unused tenants", () -> tenants.releaseUnused(working));
    repeat(60, "record when keys were used", ring::flushLastUsed);
    if (deletes) {
      repeat(60, "drop deleted tenants", tenants::purge);
      repeat(600, "delete old idempotency keys", kept.idempotency()::purge);
      repeat(
          3_600,
          "delete old audit entries",
          () -> kept.audit().purge(Instant.now().minus(kept.keepAudit())));
    }
    return this;
  }

  private void migrate() {
    if (migrations.run() > 0) {
      tenants.refresh();
    }
  }

  private void repeat(int seconds, String what, Runnable work) {
    Duration first = Duration.ofSeconds(Math.min(seconds, FIRST_SECONDS));
    repeat(timer, first, seconds, what, work);
  }

  private static void repeat(
      ScheduledExecutorService on, Duration first, int seconds, String what, Runnable work) {
    Future<?> unused =
        on.scheduleWithFixedDelay(
            () -> {
              try {
                work.run();
              } catch (RuntimeException failure) {
                log.warn("Could not {}, retrying in {} s: {}", what, seconds, failure.getMessage());
              }
            },
            first.toSeconds(),
            seconds,
            TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    migrations.close();
    migrating.shutdownNow();
    timer.shutdownNow();
    refusals.flush(true);
    ring.flushLastUsed();
  }
}
