package dev.holdfast.postgres;

import dev.holdfast.engine.store.Store;
import dev.holdfast.tck.node.NodeContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The node contract on PostgreSQL. */
class PostgresNodeTest extends NodeContract {
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
  protected Store freshStore() {
    return fixture.emptied().store();
  }
}
