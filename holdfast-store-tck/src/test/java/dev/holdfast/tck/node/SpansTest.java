package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.JobFailedException;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.testkit.memory.InMemoryStore;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.testing.junit5.OpenTelemetryExtension;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What whoever traces and measures sees of a node. */
class SpansTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  record Note(String text) {}

  private static final TaskType<Note, String> ECHO =
      TaskType.of("trace::echo", Note.class, String.class)
          .with(job -> job.retry(RetryPolicy.NEVER));

  @RegisterExtension final OpenTelemetryExtension telemetry = OpenTelemetryExtension.create();

  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final InMemoryStore store = new InMemoryStore(InstantSource.system());

  private HoldfastNode node() {
    return HoldfastNode.on(store)
        .id("tracing")
        .name("Scribe")
        .meters(meters)
        .telemetry(telemetry.getOpenTelemetry())
        .handle(
            ECHO,
            (note, context) -> {
              if (note.text().isEmpty()) {
                throw new IllegalArgumentException("There is nothing to echo");
              }
              return Span.current().getSpanContext().getSpanId();
            })
        .start();
  }

  private List<SpanData> spans() {
    return telemetry.getSpans();
  }

  @Test
  void anAttemptIsASpanThatNamesNodeAndJob() throws Exception {
    Enqueued<String> job;
    String current;
    try (HoldfastNode node = node()) {
      job = node.client().enqueue(ECHO, new Note("x"));
      current = node.client().await(job, SOON);
    }

    assertThat(spans())
        .singleElement()
        .satisfies(span -> {
          assertThat(span.getName()).isEqualTo("trace::echo");
          assertThat(span.getKind()).isEqualTo(SpanKind.CONSUMER);
          assertThat(span.getSpanId()).as("the span the handler sees").isEqualTo(current);
          assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
          assertThat(text(span, "holdfast.node")).isEqualTo("tracing");
          assertThat(text(span, "holdfast.name")).isEqualTo("Scribe");
          assertThat(text(span, "holdfast.job")).isEqualTo(job.id().toString());
          assertThat(span.getAttributes().get(AttributeKey.longKey("holdfast.attempt")))
              .isEqualTo(1);
        });
  }

  @Test
  void aFailedAttemptIsAnErrorWithItsCode() {
    try (HoldfastNode node = node()) {
      Enqueued<String> job = node.client().enqueue(ECHO, new Note(""));
      assertThatThrownBy(() -> node.client().await(job, SOON))
          .isInstanceOf(JobFailedException.class);
    }

    assertThat(spans())
        .singleElement()
        .satisfies(span -> {
          assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
          assertThat(span.getStatus().getDescription()).isEqualTo(FailureCode.TASK_FAILED);
          assertThat(span.getEvents()).hasSize(1);
        });
  }

  @Test
  void metersCarryTheReadableNameAndNotTheId() throws Exception {
    try (HoldfastNode node = node()) {
      node.client().await(node.client().enqueue(ECHO, new Note("x")), SOON);
    }

    assertThat(meters.getMeters())
        .filteredOn(meter -> meter.getId().getName().startsWith("holdfast.job"))
        .isNotEmpty()
        .allSatisfy(meter -> assertThat(meter.getId().getTag("node")).isEqualTo("Scribe"));
  }

  private static String text(SpanData span, String key) {
    return String.valueOf(span.getAttributes().get(AttributeKey.stringKey(key)));
  }
}
