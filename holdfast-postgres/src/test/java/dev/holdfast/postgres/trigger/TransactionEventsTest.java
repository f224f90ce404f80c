package dev.holdfast.postgres.trigger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.trigger.Published;
import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.intake.ClientSettings;
import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.postgres.PostgresFixture;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Publishing inside a transaction of the caller. */
class TransactionEventsTest {
  private static final String EVENT = "order.placed";

  private PostgresFixture fixture;
  private HoldfastClient client;
  private Connection caller;

  @BeforeEach
  void openTransaction() throws SQLException {
    fixture = new PostgresFixture();
    client = HoldfastClient.on(fixture.store());
    client.triggers().put(Trigger.named("ship").on(EVENT).start("order::ship").build());
    client
        .triggers()
        .put(
            Trigger.named("mail")
                .on(EVENT)
                .start("order::mail")
                .subject("customer")
                .cooldown(Duration.ofHours(1))
                .build());
    caller = fixture.database().connect();
    caller.setAutoCommit(false);
  }

  @AfterEach
  void closeTransaction() throws SQLException {
    caller.close();
    client.close();
    fixture.close();
  }

  @Test
  void theJobsExistAfterTheCommit() throws SQLException {
    Published published = client.in(caller).publish(EVENT, Map.of("id", 1, "customer", 7));

    assertThat(published.started()).hasSize(2);
    assertThat(client.count(JobFilter.all()).byState()).isEmpty();
    caller.commit();
    assertThat(published.started()).allMatch(job -> client.find(job).isPresent());
  }

  @Test
  void withACommitCallbackNodesAreNotifiedAfterTheCommit() throws SQLException {
    List<Signal> signals = new ArrayList<>();
    List<Runnable> afterCommit = new ArrayList<>();
    ClusterCoordinator coordinator = ClusterCoordinator.none();
    coordinator.onSignal(signals::add);
    try (HoldfastClient told =
        HoldfastClient.on(fixture.store(), new JsonCodec(), ClientSettings.DEFAULT, coordinator)) {
      told.in(caller, afterCommit::add).publish(EVENT, Map.of("id", 1, "customer", 7));
      caller.commit();
      assertThat(signals).isEmpty();

      afterCommit.forEach(Runnable::run);

      assertThat(signals).contains(new Signal.NewWork("default", 4, 1));
    }
  }

  @Test
  void aRolledBackEventStartsNothing() throws SQLException {
    client.in(caller).publish(EVENT, Map.of("id", 1, "customer", 7));
    caller.rollback();

    assertThat(client.publish(EVENT, Map.of("id", 1, "customer", 7)).started()).hasSize(2);
  }

  @Test
  void aConnectionInAutocommitIsRejected() throws SQLException {
    caller.setAutoCommit(true);

    assertThatThrownBy(() -> client.in(caller).publish(EVENT, Map.of("id", 1)))
        .hasMessageContaining(EVENT)
        .hasMessageContaining("setAutoCommit(false)");
    assertThat(client.count(JobFilter.all()).byState()).isEmpty();
  }
}
