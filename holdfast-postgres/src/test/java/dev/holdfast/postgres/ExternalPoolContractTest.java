package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.api.StoreException;
import dev.holdfast.engine.store.Store;
import dev.holdfast.tck.contract.FinishContract;
import dev.holdfast.tck.contract.IntakeContract;
import dev.holdfast.tck.contract.LeaseContract;
import dev.holdfast.tck.contract.LimitContract;
import dev.holdfast.tck.contract.NodeStoreContract;
import dev.holdfast.tck.contract.RecoveryContract;
import dev.holdfast.tck.contract.StoreFixture;
import dev.holdfast.tck.contract.TaskLimitContract;
import dev.holdfast.tck.contract.UniqueKeyContract;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * A store on an external pool whose connections have no autocommit and keep one snapshot per
 * transaction.
 */
class ExternalPoolContractTest {
  private static PostgresFixture fixture;
  private static HikariDataSource pool;
  private static PostgresStore store;

  @BeforeAll
  static void open() {
    fixture = new PostgresFixture();
    pool = fixture.foreignPool(10);
    pool.setAutoCommit(false);
    pool.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
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

  @Test
  void aSchemaIsCreatedThroughThePool() {
    fixture.execute("drop schema if exists fresh cascade");
    try (PostgresStore fresh = PostgresStore.on(pool, "fresh")) {
      fresh.intake().enqueue(List.of(Drafts.job()));
    }

    assertThat(fixture.ask("select count(*) from fresh.job")).isEqualTo("1");
  }

  @Test
  void connectionsAreReturnedUnchanged() throws SQLException {
    try (Connection only = fixture.database().connect()) {
      only.setAutoCommit(false);
      only.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
      try (PostgresStore careful = PostgresStore.on(OneConnection.source(only), "holdfast")) {
        careful.intake().enqueue(List.of(Drafts.job()));
      }

      assertThat(only.getAutoCommit()).isFalse();
      assertThat(only.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
    }
  }

  @Test
  void anOpenTransactionOfTheCallerIsNotCommitted() throws SQLException {
    fixture.execute("create table if not exists public.orders (id int)");
    try (Connection only = fixture.database().connect();
        PostgresStore careful = PostgresStore.on(OneConnection.source(only), "holdfast");
        Statement statement = only.createStatement()) {
      only.setAutoCommit(false);
      statement.execute("insert into public.orders values (1)");

      assertThatThrownBy(() -> careful.intake().enqueue(List.of(Drafts.job())))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("an open transaction that has written")
          .hasMessageContaining("holdfast.in(connection)");
      only.rollback();
    }

    assertThat(fixture.ask("select count(*) from public.orders")).isEqualTo("0");
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
  class LeaseFacts extends LeaseContract {
    @Override
    protected StoreFixture newFixture() {
      return emptied();
    }
  }

  @Nested
  class LimitFacts extends LimitContract {
    @Override
    protected StoreFixture newFixture() {
      return emptied();
    }
  }

  @Nested
  class TaskLimitFacts extends TaskLimitContract {
    @Override
    protected StoreFixture newFixture() {
      return emptied();
    }
  }

  @Nested
  class NodeFacts extends NodeStoreContract {
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
}
