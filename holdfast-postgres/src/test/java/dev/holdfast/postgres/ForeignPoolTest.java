package dev.holdfast.postgres;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.engine.store.Store;
import dev.holdfast.testkit.contract.FinishContract;
import dev.holdfast.testkit.contract.IntakeContract;
import dev.holdfast.testkit.contract.LeaseContract;
import dev.holdfast.testkit.contract.NodeBookContract;
import dev.holdfast.testkit.contract.RecoveryContract;
import dev.holdfast.testkit.contract.StoreFixture;
import dev.holdfast.testkit.contract.UniqueKeyContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/**
 * A store on a pool of the caller's own making, whose connections do not even commit by themselves.
 */
class ForeignPoolTest {
  private static PostgresFixture fixture;
  private static HikariDataSource pool;
  private static PostgresStore store;

  @BeforeAll
  static void open() {
    fixture = new PostgresFixture();
    pool = fixture.foreignPool(10);
    pool.setAutoCommit(false);
    store = PostgresStore.on(pool, "holdfast");
  }

  @AfterAll
  static void close() {
    store.close();
    pool.close();
    fixture.close();
  }

  private static StoreFixture emptied() {
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

  @Nested
  class IntakeFacts extends IntakeContract {
    @Override
    protected StoreFixture newFixture() {
      return emptied();
    }
  }

  @Nested
  class UniqueKeyFacts extends UniqueKeyContract {
    @Override
    protected StoreFixture newFixture() {
      return emptied();
    }
  }

  @Nested
  class FinishFacts extends FinishContract {
    @Override
    protected StoreFixture newFixture() {
      return emptied();
    }
  }

  @Nested
  class NodeFacts extends NodeBookContract {
    @Override
    protected StoreFixture newFixture() {
      return emptied();
    }
  }

  @Nested
  class RecoveryFacts extends RecoveryContract {
    @Override
    protected StoreFixture newFixture() {
      return emptied();
    }
  }

  @Nested
  class LeaseFacts extends LeaseContract {
    @Override
    protected StoreFixture newFixture() {
      return emptied();
    }
  }
}
