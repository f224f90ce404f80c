package dev.holdfast.server.boot;

import dev.holdfast.server.audit.AuditLog;
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
  private static final Duration KEEP_AUDIT = Duration.ofDays(400);

  private final SchemaTenants tenants;
  private final TenantMigrations migrations;
  private final KeyRing ring;
  private final Idempotency idempotency;
  private final AuditLog audit;
  private final boolean deletes;
  private IntPredicate working = tenant -> false;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("holdfast-upkeep").factory());

  /**
   * @param deletes whether this server deletes what is old
   */
  Upkeep(
      SchemaTenants tenants,
      TenantMigrations migrations,
      KeyRing ring,
      Idempotency idempotency,
      AuditLog audit,
      boolean deletes) {
    this.tenants = tenants;
    this.migrations = migrations;
    this.ring = ring;
    this.idempotency = idempotency;
    this.audit = audit;
    this.deletes = deletes;
  }

  /** Sets what tells whether this server works in a tenant at present. */
  Upkeep working(IntPredicate works) {
    this.working = works;
    return this;
  }

  Upkeep start() {
    repeat(2, "follow changes of tenants", tenants::refresh);
    repeat(60, "migrate tenants", migrations::run);
    repeat(60, "release memory of unused tenants", () -> tenants.releaseUnused(working));
    repeat(60, "record when keys were used", ring::flushLastUsed);
    if (deletes) {
      repeat(60, "drop deleted tenants", tenants::purge);
      repeat(600, "delete old idempotency keys", idempotency::purge);
      repeat(3_600, "delete old audit entries", () -> audit.purge(Instant.now().minus(KEEP_AUDIT)));
    }
    return this;
  }

  private void repeat(int seconds, String what, Runnable work) {
    Future<?> unused =
        timer.scheduleWithFixedDelay(
            () -> {
              try {
                work.run();
              } catch (RuntimeException failure) {
                log.warn(
                    "Could not {}, trying again in {} s: {}", what, seconds, failure.getMessage());
              }
            },
            seconds,
            seconds,
            TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    timer.shutdownNow();
    ring.flushLastUsed();
  }
}
