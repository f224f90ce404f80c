package dev.holdfast.postgres.db;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.api.JobRequest;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.intake.ClientSettings;
import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.store.Store;
import dev.holdfast.postgres.PostgresFixture;
import dev.holdfast.postgres.PostgresSettings;
import dev.holdfast.postgres.PostgresStore;
import java.sql.Connection;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Enqueues on a thread for which a framework has opened a transaction. */
class OutsideTransactionTest {
  private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(OutsideTransaction.class);
  private static final JobRequest<String, Void> REQUEST =
      JobRequest.of(TaskType.of("mail::send", String.class), "text");

  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
  private PostgresFixture fixture;
  private HikariDataSource pool;

  @BeforeEach
  void open() {
    fixture = new PostgresFixture();
    pool = fixture.foreignPool(5);
    LOGGER.setLevel(Level.INFO);
    logged.start();
    LOGGER.addAppender(logged);
  }

  @AfterEach
  void close() {
    TransactionSynchronizationManager.setActualTransactionActive(false);
    LOGGER.detachAppender(logged);
    pool.close();
    fixture.close();
  }

  private static HoldfastClient client(Store store) {
    return HoldfastClient.on(
        store, new JsonCodec(), ClientSettings.DEFAULT, ClusterCoordinator.none());
  }

  @Test
  void anEnqueueOutsideTheOpenTransactionCausesOneWarningWithTheRemedy() {
    try (PostgresStore store = PostgresStore.on(pool, PostgresSettings.DEFAULT_SCHEMA);
        HoldfastClient client = client(store)) {
      client.enqueue(REQUEST);
      assertThat(logged.list).isEmpty();

      TransactionSynchronizationManager.setActualTransactionActive(true);
      client.enqueue(REQUEST);
      client.enqueue(REQUEST);
      client.publish("order.placed", Map.of("order", 17));
    }

    assertThat(logged.list)
        .singleElement()
        .satisfies(event -> {
          assertThat(event.getLevel()).isEqualTo(Level.WARN);
          assertThat(event.getFormattedMessage()).contains("holdfast.in(connection).enqueue");
        });
  }

  @Test
  void anEventOutsideTheOpenTransactionCausesAWarning() {
    try (PostgresStore store = PostgresStore.on(pool, PostgresSettings.DEFAULT_SCHEMA);
        HoldfastClient client = client(store)) {
      TransactionSynchronizationManager.setActualTransactionActive(true);
      client.publish("order.placed", Map.of("order", 17));
    }

    assertThat(logged.list)
        .singleElement()
        .extracting(ILoggingEvent::getFormattedMessage)
        .asString()
        .contains("holdfast.in(connection).publish");
  }

  @Test
  void anEnqueueInsideTheTransactionCausesNoWarning() throws Exception {
    try (PostgresStore store = PostgresStore.on(pool, PostgresSettings.DEFAULT_SCHEMA);
        HoldfastClient client = client(store);
        Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      TransactionSynchronizationManager.setActualTransactionActive(true);
      client.in(connection).enqueue(REQUEST);
      connection.commit();
    }

    assertThat(logged.list).isEmpty();
  }

  @Test
  void aStoreWithItsOwnConnectionsDoesNotWarn() {
    try (HoldfastClient client = client(fixture.store())) {
      TransactionSynchronizationManager.setActualTransactionActive(true);
      client.enqueue(REQUEST);
    }

    assertThat(logged.list).isEmpty();
  }
}
