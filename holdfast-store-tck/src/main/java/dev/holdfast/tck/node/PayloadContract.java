package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.JobRequest;
import dev.holdfast.api.codec.CodecException;
import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.api.schedule.Schedule;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.trigger.Condition;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.intake.ClientSettings;
import dev.holdfast.engine.node.HoldfastNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Payloads and results between clients and nodes. */
public abstract class PayloadContract extends NodeTestBase {
  private static final String HALF = "cut \ud83d";

  /** The class that a payload had when its job was enqueued. */
  public record OldOrder(String customer, int items) {}

  /** The same class after it was renamed. */
  public record Order(String customer, int items) {}

  /** Writes and reads plain text, and escapes nothing. */
  private static final class PlainText implements PayloadCodec {
    @Override
    public String encode(Object value) {
      return value.toString();
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> @Nullable T decode(String text, TypeRef<T> type) {
      return ((Class<T>) type.type()).cast(text);
    }
  }

  private static final TaskType<String, String> TEXT =
      TaskType.of("test::text", String.class, String.class);

  @Test
  @SuppressWarnings("NullAway") // As a caller without null checks may do.
  void aNullPayloadIsRejectedBeforeAnythingIsWritten() {
    assertThatThrownBy(() -> client().enqueue(ECHO, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("test::echo")
        .hasMessageContaining("empty record");
    assertThatThrownBy(() ->
            client()
                .enqueueAll(List.of(JobRequest.of(ECHO, new Note("x")), JobRequest.of(ECHO, null))))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> client().publish("order.placed", null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("order.placed");
    assertThatThrownBy(() ->
            client()
                .schedules()
                .put(Schedule.named("nightly").runs(ECHO, null).every(Duration.ofDays(1)).build()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("nightly");
    assertThat(client().count(JobFilter.all()).byState()).isEmpty();
    assertThat(client().schedules().list()).isEmpty();
  }

  @Test
  void aPayloadThatWouldComeBackChangedIsRejected() {
    try (HoldfastClient plain =
        HoldfastClient.on(store(), new PlainText(), ClientSettings.DEFAULT)) {
      assertThatThrownBy(() -> plain.enqueue(TEXT, HALF))
          .isInstanceOf(CodecException.class)
          .hasMessageContaining("surrogate")
          .hasMessageContaining("position 4");
      assertThatThrownBy(() -> plain.enqueue(TEXT, "a\0b"))
          .isInstanceOf(CodecException.class)
          .hasMessageContaining("NUL");
      assertThat(plain.count(JobFilter.all()).byState()).isEmpty();

      JobId whole = plain.enqueue(TEXT, "whole \ud83d\ude80").id();
      assertThat(job(whole).payload()).isEqualTo("whole \ud83d\ude80");
    }
  }

  @Test
  void aResultThatWouldComeBackChangedFailsTheAttempt() {
    HoldfastNode node =
        start(node().codec(new PlainText()).handle(TEXT, (payload, context) -> HALF));

    JobId id = node.client().enqueue(TEXT, "x").id();

    assertThat(awaitState(id, JobState.FAILED).failures())
        .extracting(FailedAttempt::code)
        .contains(FailureCode.BAD_RESULT);
  }

  @Test
  void valuesInTriggerConditionsCanBeStored() {
    assertThatThrownBy(() -> Condition.field("city").is(HALF)).hasMessageContaining("surrogate");
    assertThatThrownBy(() -> Condition.field(HALF).exists()).hasMessageContaining("surrogate");
  }

  @Test
  void halfASurrogatePairInJsonIsReadBackUnchanged() throws Exception {
    HoldfastNode node = start(node().handle(ECHO, (note, context) -> note.text()));

    assertThat(node.client().await(node.client().enqueue(ECHO, new Note(HALF)), SOON))
        .isEqualTo(HALF);
  }

  @Test
  void aPayloadWhoseClassWasRenamedIsReadAsTheNewClass() throws Exception {
    Enqueued<String> waiting =
        client()
            .enqueue(
                TaskType.of("test::order", OldOrder.class, String.class), new OldOrder("Ada", 3));

    start(
        node()
            .handle(
                TaskType.of("test::order", Order.class, String.class),
                (order, context) -> order.customer() + " " + order.items()));

    assertThat(client().await(waiting, SOON)).isEqualTo("Ada 3");
  }

  @Test
  void aResultIsKeptForTheRetentionOfItsJob() throws Exception {
    HoldfastNode node = start(node().handle(ECHO, (note, context) -> note.text()));

    JobId ever = node.client().enqueue(ECHO, new Note("ever")).id();
    JobId hour =
        node.client()
            .enqueue(ECHO, new Note("hour"), options -> options.keepResult(Duration.ofHours(1)))
            .id();
    JobId never =
        node.client()
            .enqueue(ECHO, new Note("never"), options -> options.keepResult(Duration.ZERO))
            .id();
    JobId brief =
        node.client()
            .enqueue(ECHO, new Note("brief"), options -> options.keepResult(Duration.ofSeconds(3)))
            .id();

    assertThat(awaitState(ever, JobState.SUCCEEDED).result()).isEqualTo("\"ever\"");
    assertThat(awaitState(hour, JobState.SUCCEEDED).result()).isEqualTo("\"hour\"");
    assertThat(awaitState(never, JobState.SUCCEEDED).result()).isNull();
    awaitState(brief, JobState.SUCCEEDED);
    await().atMost(SOON).until(() -> job(brief).result() == null);
    assertThat(job(brief).state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(job(ever).result()).isEqualTo("\"ever\"");
    assertThat(job(hour).result()).isEqualTo("\"hour\"");
  }

  @Test
  void theDefaultsOfATaskSetTheRetentionOfItsResults() throws Exception {
    TaskType<Note, String> forgetful =
        TaskType.of("test::forgetful", Note.class, String.class)
            .with(options -> options.keepResult(Duration.ZERO));
    HoldfastNode node = start(node().handle(forgetful, (note, context) -> note.text()));

    JobId id = node.client().enqueue(forgetful, new Note("x")).id();

    assertThat(awaitState(id, JobState.SUCCEEDED).result()).isNull();
  }

  @Test
  void idsIncreaseInTheOrderOfEnqueueing() {
    List<JobId> ids = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      ids.add(client().enqueue(ECHO, new Note("x")).id());
    }
    client()
        .enqueueAll(
            IntStream.range(0, 2_000).mapToObj(n -> JobRequest.of(ECHO, new Note("x"))).toList())
        .forEach(enqueued -> ids.add(enqueued.id()));

    assertThat(ids)
        .isSortedAccordingTo(Comparator.comparing(JobId::toString))
        .doesNotHaveDuplicates()
        .allMatch(id -> id.value().version() == 7);
  }
}
