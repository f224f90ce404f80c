package dev.holdfast.postgres;

import dev.holdfast.engine.store.Store;
import dev.holdfast.postgres.liveness.Membership;
import dev.holdfast.tck.contract.ClaimContract;
import dev.holdfast.tck.contract.FinishContract;
import dev.holdfast.tck.contract.GuaranteeContract;
import dev.holdfast.tck.contract.IntakeContract;
import dev.holdfast.tck.contract.ScheduleContract;
import dev.holdfast.tck.contract.StartContract;
import dev.holdfast.tck.contract.StoreFixture;
import java.time.Duration;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/**
 * A store of one of many tenants: on shared connections, with nodes that belong to a process. What
 * it promises about heartbeats, silence and takeover is that of the process, in holdfast-server.
 */
class SharedStoreContractTest {
  private static PostgresFixture fixture;
  private static SharedConnections connections;
  private static PostgresStore store;

  @BeforeAll
  static void open() {
    fixture = new PostgresFixture();
    connections = SharedConnections.open(fixture.settings().poolSize(8).build());
    Membership none =
        new Membership() {
          @Override
          public @Nullable UUID join(Handle transaction, UUID incarnation) {
            return null;
          }

          @Override
          public boolean staysRegistered() {
            return false;
          }
        };
    // Tests use several connections at once, a tenant only those of its pool.
    store = PostgresStore.sharing(connections, 1, "holdfast", none);
  }

  @AfterAll
  static void close() {
    store.close();
    connections.close();
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
  class ClaimFacts extends ClaimContract {
    @Override
    protected StoreFixture newFixture() {
      return emptied();
    }
  }

  @Nested
  class StartFacts extends StartContract {
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
  class ScheduleFacts extends ScheduleContract {
    @Override
    protected StoreFixture newFixture() {
      return emptied();
    }
  }

  @Nested
  class GuaranteeFacts extends GuaranteeContract {
    @Override
    protected StoreFixture newFixture() {
      return emptied();
    }
  }
}
