package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.schedule.Recurrence;
import dev.holdfast.api.schedule.Timing;
import dev.holdfast.engine.store.SchedulePlan;
import dev.holdfast.engine.store.ScheduleStore;
import dev.holdfast.engine.store.ScheduleStore.Draft;
import dev.holdfast.engine.store.ScheduleStore.Kept;
import dev.holdfast.postgres.schedule.ReadableSchedules;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A schedule written by a program with newer time zones. */
class UnreadableScheduleTest {
  private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(ReadableSchedules.class);

  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
  private PostgresFixture fixture;
  private ScheduleStore scheduleStore;

  @BeforeEach
  void open() {
    fixture = new PostgresFixture();
    scheduleStore = fixture.store().schedules();
    saveDue("first");
    saveDue("strange");
    saveDue("third");
    fixture.execute(
        "update holdfast.schedule set timing = 'cron 0 3 * * * in Mars/Olympus' where id ="
            + " 'strange'");
    logged.start();
    LOGGER.addAppender(logged);
  }

  @AfterEach
  void close() {
    LOGGER.detachAppender(logged);
    fixture.close();
  }

  private void saveDue(String id) {
    Instant now = scheduleStore.look("nothing").now();
    SchedulePlan plan =
        new SchedulePlan(
            id,
            Recurrence.of(new Timing.Every(Duration.ofHours(1))),
            new SchedulePlan.JobTemplate(
                "test::task", "default", 4, "{}", Set.of(), null, null, null));
    assertThat(scheduleStore.save(new Draft(plan, null, false, now, now), null)).isTrue();
  }

  private static List<String> ids(List<Kept> schedules) {
    return schedules.stream().map(kept -> kept.plan().id()).toList();
  }

  @Test
  void manyUnreadableSchedulesDoNotHideOthers() {
    fixture.execute("delete from holdfast.schedule where id in ('first', 'third')");
    for (int i = 0; i < 60; i++) {
      saveDue("bad-" + i);
    }
    fixture.execute(
        "update holdfast.schedule set timing = 'cron 0 3 * * * in Mars/Olympus', next_fire ="
            + " next_fire - interval '1 hour'");
    saveDue("last");

    assertThat(ids(scheduleStore.due(5).due())).containsExactly("last");
    assertThat(logged.list).hasSize(61);
  }

  @Test
  void anUnreadableScheduleHidesNoOtherAndIsLoggedOnce() {
    assertThat(ids(scheduleStore.due(10).due())).containsExactly("first", "third");
    assertThat(ids(scheduleStore.list())).containsExactly("first", "third");
    assertThat(scheduleStore.due(10).due()).hasSize(2);

    assertThat(logged.list)
        .singleElement()
        .extracting(ILoggingEvent::getFormattedMessage)
        .asString()
        .contains("'strange'", "'Mars/Olympus'");
  }

  @Test
  void readingAnUnreadableScheduleReportsTheCauseAndItCanBeCancelled() {
    assertThatThrownBy(() -> scheduleStore.look("strange"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("'strange'")
        .hasMessageContaining("'Mars/Olympus'")
        .hasMessageContaining("cancel it");

    assertThat(scheduleStore.cancel("strange")).isEqualTo(1);
    assertThat(scheduleStore.look("strange").kept()).isEmpty();
  }
}
