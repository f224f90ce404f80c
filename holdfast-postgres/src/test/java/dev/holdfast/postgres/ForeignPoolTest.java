package dev.holdfast.postgres;

import dev.holdfast.engine.store.Store;
import dev.holdfast.testkit.contract.FinishContract;
import dev.holdfast.testkit.contract.StoreFixture;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.postgresql.ds.PGSimpleDataSource;

/** A store on connections of the caller's own making. */
class ForeignPoolTest extends FinishContract {
  private static PostgresFixture fixture;
  private static PostgresStore store;

  @BeforeAll
  static void open() {
    fixture = new PostgresFixture();
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(fixture.database().jdbcUrl());
    source.setUser(fixture.database().user());
    source.setPassword(fixture.database().password());
    store = PostgresStore.on(source, "holdfast");
  }

  @AfterAll
  static void close() {
    store.close();
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
    };
  }
}
