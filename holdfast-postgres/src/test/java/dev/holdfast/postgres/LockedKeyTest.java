package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.api.JobRequest;
import dev.holdfast.api.KeyLockedException;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.postgres.db.LockPatience;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An enqueue whose unique key is locked by an open transaction of another session. */
class LockedKeyTest {
  private static final TaskType<String, Void> TASK =
      TaskType.of("mail::send", String.class, Void.class);

  /** One lock timeout with room for a busy machine, but far less than a statement timeout. */
  private static final Duration SOON = Duration.ofSeconds(LockPatience.SECONDS + 8);

  private PostgresFixture fixture;
  private HoldfastClient client;

  @BeforeEach
  void open() {
    fixture = new PostgresFixture();
    client = HoldfastClient.on(fixture.store());
  }

  @AfterEach
  void close() {
    client.close();
    fixture.close();
  }

  static Stream<UniqueKey> bothScopes() {
    return Stream.of(
        UniqueKey.whileActive("order 17"), UniqueKey.within("order 17", Duration.ofHours(1)));
  }

  private static JobRequest<String, Void> request(UniqueKey key) {
    return JobRequest.of(TASK, "text", options -> options.unique(key));
  }

  @ParameterizedTest
  @MethodSource("bothScopes")
  void anEnqueueGivesUpAfterOneBoundedWaitAndNamesTheKey(UniqueKey key) throws SQLException {
    try (Connection open = fixture.database().connect()) {
      open.setAutoCommit(false);
      client.in(open).enqueue(request(key));
      long startedAt = System.nanoTime();

      assertThatExceptionOfType(KeyLockedException.class)
          .isThrownBy(() -> client.enqueue(request(key)))
          .withMessageContaining("'order 17'")
          .withMessageContaining("transaction")
          .returns(StoreException.Outcome.RETRYABLE, StoreException::outcome)
          .satisfies(locked -> assertThat(locked.keys()).containsExactly("order 17"));

      assertThat(Duration.ofNanos(System.nanoTime() - startedAt)).isLessThan(SOON);
      open.rollback();
    }
    assertThat(client.enqueue(request(key)).outcome()).isEqualTo(Enqueued.Outcome.CREATED);
  }

  @Test
  void aTransactionOfTheCallerKeepsItsOwnLockTimeout() throws SQLException {
    try (Connection callers = fixture.database().connect()) {
      callers.setAutoCommit(false);
      client.in(callers).enqueue(request(UniqueKey.within("order 17", Duration.ofHours(1))));
      try (var statement = callers.createStatement();
          var row = statement.executeQuery("show lock_timeout")) {
        row.next();
        assertThat(row.getString(1)).isEqualTo("0");
      }
      callers.rollback();
    }
  }

  @Test
  void anEventWhoseSubjectIsLockedGivesUpAfterOneBoundedWait() throws SQLException {
    client
        .triggers()
        .put(
            Trigger.named("mail")
                .on("order.placed")
                .start(TASK)
                .subject("order")
                .cooldown(Duration.ofHours(1))
                .build());
    try (Connection open = fixture.database().connect()) {
      open.setAutoCommit(false);
      client.in(open).publish("order.placed", Map.of("order", 17));
      long startedAt = System.nanoTime();

      assertThatExceptionOfType(KeyLockedException.class)
          .isThrownBy(() -> client.publish("order.placed", Map.of("order", 17)))
          .withMessageContaining("order.placed");

      assertThat(Duration.ofNanos(System.nanoTime() - startedAt)).isLessThan(SOON);
      open.rollback();
    }
  }
}
