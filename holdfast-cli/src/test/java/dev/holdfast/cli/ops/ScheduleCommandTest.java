package dev.holdfast.cli.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.NodeMode;
import dev.holdfast.api.schedule.Schedule;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.cli.Cli;
import dev.holdfast.cli.connect.ExitCode;
import dev.holdfast.cli.print.Json;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.postgres.PostgresSettings;
import dev.holdfast.postgres.PostgresStore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class ScheduleCommandTest {
  record Report(String kind) {}

  private static final TaskType<Report, Void> REPORT = TaskType.of("report::make", Report.class);

  private static final TestDatabase DATABASE = SharedServer.freshDatabase();
  private static PostgresStore store;
  private static Holdfast client;

  @BeforeAll
  static void open() {
    store =
        PostgresStore.connect(
            PostgresSettings.builder(DATABASE.jdbcUrl())
                .user(DATABASE.user())
                .password(DATABASE.password())
                .build());
    client = HoldfastClient.on(store);
  }

  @AfterAll
  static void close() {
    client.close();
    store.close();
    DATABASE.close();
  }

  @Test
  void aScheduleIsListedPausedResumedFiredAndCancelled() {
    client
        .schedules()
        .put(
            Schedule.named("new-year")
                .runs(REPORT, new Report("year"))
                .cron("0 0 1 1 *", "Europe/Berlin")
                .build());

    assertThat(holdfast("schedule", "list").out())
        .containsPattern("new-year +no +\\d{4}-12-31T23:00:00Z +never +cron 0 0 1 1");
    assertThat(holdfast("schedule", "list").out())
        .contains("No live node fires schedules: start a node whose mode is not disabled.");
    JsonNode listed =
        Json.read(holdfast("schedule", "list", "--json").out()).get("schedules").get(0);
    assertThat(listed.get("id").stringValue()).isEqualTo("new-year");
    assertThat(listed.get("payload").get("kind").stringValue()).isEqualTo("year");
    assertThat(holdfast("schedule", "pause", "new-year").out()).contains("is paused");
    assertThat(holdfast("schedule", "list").out()).containsPattern("new-year +yes");
    assertThat(holdfast("schedule", "resume", "new-year").out()).contains("T23:00:00Z");
    assertThat(holdfast("schedule", "fire", "new-year").out()).contains("enqueued job");

    Cli again = holdfast("schedule", "fire", "new-year");
    assertThat(again.exit()).isEqualTo(ExitCode.CONFLICT.number());
    assertThat(again.err()).contains("has not ended", "[SCHEDULE_OVERLAPS]");

    assertThat(holdfast("schedule", "delete", "new-year").exit()).isZero();
    assertThat(holdfast("schedule", "list").out()).doesNotContain("new-year");
  }

  @Test
  void schedulesThatANodeFiresNeedNoNotice() {
    client
        .schedules()
        .put(
            Schedule.named("fired")
                .runs(REPORT, new Report("day"))
                .cron("0 0 1 1 *", "Europe/Berlin")
                .build());
    try (HoldfastNode node = HoldfastNode.on(store).mode(NodeMode.DISABLED).start()) {
      assertThat(holdfast("schedule", "list").out())
          .contains("fired", "No live node fires schedules");
    }
    try (HoldfastNode node = HoldfastNode.on(store).start()) {
      assertThat(holdfast("schedule", "list").out())
          .contains("fired")
          .doesNotContain("No live node fires schedules");
    }
    client.schedules().cancel("fired");
  }

  @Test
  void anUnknownScheduleIsReported() {
    Cli cancel = holdfast("schedule", "delete", "unknown");

    assertThat(cancel.exit()).isEqualTo(ExitCode.NOT_FOUND.number());
    assertThat(cancel.err()).contains("Schedule 'unknown' does not exist");
  }

  private static Cli holdfast(String... args) {
    return Cli.on(DATABASE, args);
  }
}
