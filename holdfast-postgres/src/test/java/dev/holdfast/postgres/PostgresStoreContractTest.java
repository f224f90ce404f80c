package dev.holdfast.postgres;

import dev.holdfast.testkit.contract.StoreContract;
import dev.holdfast.testkit.contract.StoreFixture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contract of every store, on PostgreSQL. */
class PostgresStoreContractTest extends StoreContract {
  private static PostgresFixture fixture;

  @BeforeAll
  static void open() {
    fixture = new PostgresFixture();
  }

  @AfterAll
  static void close() {
    fixture.close();
  }

  @Override
  protected StoreFixture newFixture() {
    return fixture.emptied();
  }
}
