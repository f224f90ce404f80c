package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.trigger.Published;
import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.postgres.trigger.ReadableTriggers;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A trigger written by a newer version, and a trigger with very many subjects. */
class UnreadableTriggerTest {
  private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(ReadableTriggers.class);
  private static final Map<String, Integer> ORDER = Map.of("order", 17);

  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
  private PostgresFixture fixture;
  private HoldfastClient client;

  @BeforeEach
  void open() {
    fixture = new PostgresFixture();
    client = HoldfastClient.on(fixture.store());
    for (String id : new String[] {"first", "strange", "third"}) {
      client.triggers().put(Trigger.named(id).on("order.placed").start("test::task").build());
    }
    fixture.execute(
        """
        update holdfast.event_trigger
        set definition = jsonb_set(definition::jsonb, '{conditions}',
          '[{"field": "total", "isPrimeNumber": true}]')::text
        where id = 'strange'
        """);
    logged.start();
    LOGGER.addAppender(logged);
  }

  @AfterEach
  void close() {
    LOGGER.detachAppender(logged);
    client.close();
    fixture.close();
  }

  @Test
  void otherTriggersStartTheirJobsAndTheUnreadableOneIsLoggedOnce() {
    Published published = client.publish("order.placed", ORDER);
    client.publish("order.placed", Map.of("order", 18));

    assertThat(published.outcomes())
        .extracting(Published.Outcome::trigger)
        .containsExactly("first", "third");
    assertThat(fixture.ask("select count(*) from holdfast.job")).isEqualTo("4");
    assertThat(logged.list)
        .singleElement()
        .extracting(ILoggingEvent::getFormattedMessage)
        .asString()
        .contains("'strange'", "isPrimeNumber");
  }

  @Test
  void theTransactionOfTheCallerCanStillCommit() throws SQLException {
    try (Connection connection = fixture.database().connect()) {
      connection.setAutoCommit(false);

      client.in(connection).publish("order.placed", ORDER);
      connection.commit();
    }

    assertThat(fixture.ask("select count(*) from holdfast.job")).isEqualTo("2");
  }

  @Test
  void otherTriggersAreListedAndTheUnreadableOneCanBeRemoved() {
    assertThat(client.triggers().list())
        .extracting(status -> status.trigger().id())
        .containsExactly("first", "third");
    assertThatThrownBy(() -> client.triggers().find("strange"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("'strange'")
        .hasMessageContaining("isPrimeNumber")
        .hasMessageContaining("remove");

    assertThat(client.triggers().delete("strange")).isTrue();
    assertThat(client.triggers().find("strange")).isEmpty();
  }

  /**
   * Each statement may delete a bounded number of rows. A database trigger of this test fails any
   * statement that deletes more.
   */
  @Test
  void aTriggerIsRemovedWithAllItsSubjectsInBoundedBatches() {
    client
        .triggers()
        .put(
            Trigger.named("cooling")
                .on("order.placed")
                .start("test::task")
                .subject("customer")
                .cooldown(Duration.ofDays(365))
                .build());
    fixture.execute(
        """
        insert into holdfast.trigger_subject (trigger_id, subject, forget_at)
        select t, s::text, now() + interval '1 year'
        from (values ('cooling'), ('other')) v(t), generate_series(1, 25000) s;
        insert into holdfast.trigger_subject (trigger_id, subject, forget_at)
        values ('cooling', '', now() + interval '1 year');
        create function holdfast.few() returns trigger language plpgsql as $$
        begin
          if (select count(*) from gone) > 10000 then
            raise exception 'too many rows in one statement';
          end if;
          return null;
        end $$;
        create trigger few after delete on holdfast.trigger_subject
          referencing old table as gone for each statement execute function holdfast.few()
        """);

    assertThat(client.triggers().delete("cooling")).isTrue();

    assertThat(
            fixture.ask(
                "select string_agg(distinct trigger_id, ' ') || count(*) from"
                    + " holdfast.trigger_subject"))
        .isEqualTo("other25000");
  }
}
