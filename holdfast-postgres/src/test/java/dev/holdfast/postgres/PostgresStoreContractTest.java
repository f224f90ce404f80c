package dev.holdfast.postgres;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.store.Store;
import dev.holdfast.postgres.claim.PgClaims;
import dev.holdfast.postgres.claim.ReadyScan;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.tck.contract.Inconsistency;
import dev.holdfast.tck.contract.StoreContract;
import dev.holdfast.tck.contract.StoreFixture;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The store contract on PostgreSQL. */
class PostgresStoreContractTest extends StoreContract {
  private static PostgresFixture fixture;
  private static HikariDataSource pool;
  private static Store store;

  @BeforeAll
  static void open() {
    fixture = new PostgresFixture();
    pool = new Connections(fixture.settings().build(), "contract").pool();
    store = storeWithoutWindows();
  }

  @AfterAll
  static void close() {
    pool.close();
    fixture.close();
  }

  @Override
  protected StoreFixture newFixture() {
    fixture.emptied();
    return new StoreFixture() {
      @Override
      public Store store() {
        return store;
      }

      @Override
      public void passTime(Duration time) {
        fixture.passTime(time);
      }

      @Override
      public void breakConsistency(Inconsistency how, RunId run, int step) {
        fixture.breakConsistency(how, run, step);
      }
    };
  }

  /**
   * Disables windows: rows that are moved into the past are outside them, and on a busy machine any
   * claim may count as slow. {@link WindowedClaimTest} tests windows.
   */
  private static Store storeWithoutWindows() {
    PgClaims claims =
        new PgClaims(
            Database.own(pool, PostgresSettings.DEFAULT_SCHEMA),
            PostgresSettings.DEFAULT_AGING,
            new ReadyScan.Slow(Duration.ofDays(1), Long.MAX_VALUE));
    return (Store)
        Proxy.newProxyInstance(
            PostgresStoreContractTest.class.getClassLoader(),
            new Class<?>[] {Store.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("claims")) {
                return claims;
              }
              try {
                return method.invoke(fixture.store(), arguments);
              } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
              }
            });
  }
}
