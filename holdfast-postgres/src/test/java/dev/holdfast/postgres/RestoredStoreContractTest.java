package dev.holdfast.postgres;

import dev.holdfast.engine.store.Store;
import dev.holdfast.tck.contract.DeadLetterContract;
import dev.holdfast.tck.contract.DebounceContract;
import dev.holdfast.tck.contract.RetryContract;
import dev.holdfast.tck.contract.RunExpressContract;
import dev.holdfast.tck.contract.RunRetryContract;
import dev.holdfast.tck.contract.RunStartHereContract;
import dev.holdfast.tck.contract.StoreFixture;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/**
 * The parts of the contract in which tokens are issued, in a later epoch: nothing assumes that they
 * start at 1. The constraint of the table also fails each test in which one starts too low.
 */
class RestoredStoreContractTest {
  private static PostgresFixture fixture;
  private static long firstToken;

  @BeforeAll
  static void open() {
    fixture = new PostgresFixture();
    RestoredDatabase database = RestoredDatabase.at(fixture.settings().build());
    firstToken = database.startNewEpoch(database.schemas(), started -> {}).getFirst().firstToken();
  }

  @AfterAll
  static void close() {
    fixture.close();
  }

  private static StoreFixture restored() {
    fixture.emptied();
    return new StoreFixture() {
      @Override
      public Store store() {
        return fixture.store();
      }

      @Override
      public void passTime(Duration time) {
        fixture.passTime(time);
      }

      @Override
      public long firstToken() {
        return firstToken;
      }
    };
  }

  @Nested
  class DeadLetterFacts extends DeadLetterContract {
    @Override
    protected StoreFixture newFixture() {
      return restored();
    }
  }

  @Nested
  class DebounceFacts extends DebounceContract {
    @Override
    protected StoreFixture newFixture() {
      return restored();
    }
  }

  @Nested
  class RetryFacts extends RetryContract {
    @Override
    protected StoreFixture newFixture() {
      return restored();
    }
  }

  @Nested
  class RunExpressFacts extends RunExpressContract {
    @Override
    protected StoreFixture newFixture() {
      return restored();
    }
  }

  @Nested
  class RunRetryFacts extends RunRetryContract {
    @Override
    protected StoreFixture newFixture() {
      return restored();
    }
  }

  @Nested
  class RunStartHereFacts extends RunStartHereContract {
    @Override
    protected StoreFixture newFixture() {
      return restored();
    }
  }
}
