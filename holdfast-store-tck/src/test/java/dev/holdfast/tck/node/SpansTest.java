package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.JobFailedException;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.schedule.Overlap;
import dev.holdfast.api.schedule.Schedule;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.meter.RoleSpans;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.engine.store.ClaimRequest;
import dev.holdfast.engine.store.NodeStore.NodeRegistration;
import dev.holdfast.engine.store.Store;
import dev.holdfast.engine.store.Upkeep;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.upkeep.Housekeeper;
import dev.holdfast.tck.contract.Worker;
import dev.holdfast.tck.simulation.Interposed;
import dev.holdfast.testkit.memory.InMemoryStore;
import dev.holdfast.testkit.memory.ManualClock;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.junit5.OpenTelemetryExtension;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Spans and meters of a node. */
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
    return node(store).start();
  }

  private NodeBuilder node(Store on) {
    return HoldfastNode.on(on)
        .poll(Duration.ofMillis(20), Duration.ofMillis(200))
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
            });
  }

  private List<SpanData> spans() {
    return telemetry.getSpans();
  }

  private List<SpanData> attempts() {
    return spans().stream().filter(span -> span.getKind() == SpanKind.CONSUMER).toList();
  }

  private List<SpanData> named(String name) {
    return spans().stream().filter(span -> span.getName().equals(name)).toList();
  }

  private SpanData first(String name) {
    return await().atMost(SOON).until(() -> named(name), found -> !found.isEmpty()).getFirst();
  }

  private static long number(SpanData span, String key) {
    return Objects.requireNonNull(span.getAttributes().get(AttributeKey.longKey(key)), key);
  }

  @Test
  void anAttemptIsASpanWithNodeAndJob() throws Exception {
    Enqueued<String> job;
    String current;
    try (HoldfastNode node = node()) {
      job = node.client().enqueue(ECHO, new Note("x"));
      current = node.client().await(job, SOON);
    }

    assertThat(attempts())
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
  void anAttemptAndItsWaitBelongToTheTraceOfTheEnqueue() throws Exception {
    Span caller = telemetry.getOpenTelemetry().getTracer("test").spanBuilder("caller").startSpan();
    try (HoldfastNode node = node()) {
      Enqueued<String> job;
      try (Scope current = caller.makeCurrent()) {
        job = node.client().enqueue(ECHO, new Note("x"));
      }
      node.client().await(job, SOON);
    }
    caller.end();

    SpanData enqueue = first("enqueue trace::echo");
    assertThat(enqueue.getKind()).isEqualTo(SpanKind.PRODUCER);
    assertThat(enqueue.getParentSpanId()).isEqualTo(caller.getSpanContext().getSpanId());
    assertThat(List.of(first("trace::echo"), first("wait trace::echo")))
        .allSatisfy(span -> {
          assertThat(span.getTraceId()).isEqualTo(caller.getSpanContext().getTraceId());
          assertThat(span.getParentSpanId()).isEqualTo(enqueue.getSpanId());
        });
  }

  @Test
  void eachAttemptOfAJobBelongsToTheSameTrace() throws Exception {
    TaskType<Note, Void> flaky =
        TaskType.of("trace::flaky", Note.class)
            .with(job -> job.retry(RetryPolicy.fixed(Duration.ofMillis(1)).maxAttempts(3)));
    AtomicInteger calls = new AtomicInteger();
    try (HoldfastNode node =
        node(store)
            .handle(
                flaky,
                (note, context) -> {
                  if (calls.incrementAndGet() < 3) {
                    throw new IllegalStateException("Not yet");
                  }
                })
            .start()) {
      node.client().await(node.client().enqueue(flaky, new Note("x")), SOON);
    }

    SpanData enqueue = first("enqueue trace::flaky");
    assertThat(named("trace::flaky"))
        .hasSize(3)
        .allSatisfy(span -> assertThat(span.getParentSpanId()).isEqualTo(enqueue.getSpanId()));
    assertThat(named("wait trace::flaky")).hasSize(3);
  }

  @Test
  void whatAHandlerEnqueuesBelongsToTheTraceOfItsAttempt() throws Exception {
    TaskType<Note, Void> parent = TaskType.of("trace::parent", Note.class);
    try (HoldfastNode node =
        node(store)
            .handle(
                parent,
                (note, context) -> {
                  context.client().enqueue(ECHO, note);
                })
            .start()) {
      node.client().await(node.client().enqueue(parent, new Note("x")), SOON);
      first("trace::echo");
    }

    assertThat(first("enqueue trace::echo").getParentSpanId())
        .isEqualTo(first("trace::parent").getSpanId());
    assertThat(first("trace::echo").getTraceId())
        .isEqualTo(first("enqueue trace::parent").getTraceId());
  }

  @Test
  void theStepsOfARunAndOfItsChildrenBelongToTheTraceOfItsStart() throws Exception {
    Workflow<Note, Void> inner =
        Workflow.define("trace::inner", Note.class, flow -> flow.step("in", ECHO, flow.input()));
    Workflow<Note, Void> outer =
        Workflow.define(
            "trace::outer",
            Note.class,
            flow -> {
              flow.step("one", ECHO, flow.input());
              flow.workflow("below", inner, flow.input());
            });
    try (HoldfastNode node = node(store).workflow(outer).workflow(inner).start()) {
      node.client().runs().await(node.client().runs().start(outer, new Note("x")), SOON);
    }

    SpanData start = first("start trace::outer");
    assertThat(named("trace::echo"))
        .hasSize(2)
        .allSatisfy(step -> assertThat(step.getParentSpanId()).isEqualTo(start.getSpanId()));
  }

  @Test
  void theTraceOfAStartIsNotPartOfTheContextOfSteps() throws Exception {
    TaskType<Object, Object> look = TaskType.of("trace::look", Object.class, Object.class);
    Workflow<Note, Object> seeing =
        Workflow.defineWithResult("trace::seeing", Note.class, flow -> flow.step("look", look));
    Object seen;
    try (HoldfastNode node =
        node(store).handle(look, (context, run) -> context).workflow(seeing).start()) {
      seen = node.client().runs().await(node.client().runs().start(seeing, new Note("x")), SOON);
    }

    assertThat(seen.toString()).contains("text").doesNotContain("traceparent");
    assertThat(first("trace::look").getParentSpanId())
        .isEqualTo(first("start trace::seeing").getSpanId());
  }

  @Test
  void jobsOfAnEventBelongToItsTrace() throws Exception {
    try (HoldfastNode node = node()) {
      node.client().triggers().put(Trigger.named("echo").on("made").start(ECHO).build());
      node.client().publish("made", new Note("x"));
      first("trace::echo");
    }

    assertThat(first("trace::echo").getParentSpanId()).isEqualTo(first("publish made").getSpanId());
  }

  @Test
  void withoutTelemetryNothingIsStoredWithAJob() {
    try (HoldfastClient client = HoldfastClient.on(store)) {
      client.enqueue(ECHO, new Note("x"));
    }

    assertThat(Worker.join(store, "node-1", "default", ECHO.name()).claimOne().policy()).isNull();
  }

  @Test
  void aFailedAttemptIsAnErrorWithItsCode() {
    try (HoldfastNode node = node()) {
      Enqueued<String> job = node.client().enqueue(ECHO, new Note(""));
      assertThatThrownBy(() -> node.client().await(job, SOON))
          .isInstanceOf(JobFailedException.class);
    }

    assertThat(attempts())
        .singleElement()
        .satisfies(span -> {
          assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
          assertThat(span.getStatus().getDescription()).isEqualTo(FailureCode.TASK_FAILED);
          assertThat(span.getEvents()).hasSize(1);
        });
  }

  @Test
  void aClaimThatReturnedJobsIsASpan() throws Exception {
    try (HoldfastNode node = node()) {
      node.client().await(node.client().enqueue(ECHO, new Note("x")), SOON);
    }

    assertThat(named("holdfast.claim"))
        .singleElement()
        .satisfies(span -> {
          assertThat(span.getKind()).isEqualTo(SpanKind.INTERNAL);
          assertThat(text(span, "holdfast.node")).isEqualTo("tracing");
          assertThat(text(span, "holdfast.name")).isEqualTo("Scribe");
          assertThat(text(span, "holdfast.queue")).isEqualTo("default");
          assertThat(number(span, "holdfast.jobs.claimed")).isEqualTo(1);
          assertThat(number(span, "holdfast.jobs.started")).isEqualTo(1);
          assertThat(span.getEndEpochNanos()).isGreaterThanOrEqualTo(span.getStartEpochNanos());
        });
  }

  @Test
  void stagingIsASpan() throws Exception {
    try (HoldfastNode node = node()) {
      node.client()
          .await(
              node.client().enqueue(ECHO, new Note("x"), job -> job.runIn(Duration.ofMillis(50))),
              SOON);
    }

    assertThat(named("holdfast.stage"))
        .singleElement()
        .satisfies(span -> {
          assertThat(number(span, "holdfast.jobs.ready")).isEqualTo(1);
          assertThat(number(span, "holdfast.jobs.expired")).isZero();
        });
  }

  @Test
  void lettingJobsExpireIsASpan() {
    try (HoldfastNode node = node()) {
      node.client()
          .enqueue(
              ECHO, new Note("x"), job -> job.queue("unserved").startWithin(Duration.ofMillis(1)));
      SpanData staged = first("holdfast.stage");

      assertThat(number(staged, "holdfast.jobs.ready")).isZero();
      assertThat(number(staged, "holdfast.jobs.expired")).isEqualTo(1);
    }
  }

  @Test
  void theSpanOfARoleLastsAsLongAsItsPass() {
    new RoleSpans(telemetry.getOpenTelemetry(), "tracing", null)
        .worked("holdfast.claim", Duration.ofSeconds(5), span -> {});

    SpanData span = first("holdfast.claim");
    assertThat(span.getEndEpochNanos() - span.getStartEpochNanos())
        .isEqualTo(Duration.ofSeconds(5).toNanos());
    assertThat(span.getParentSpanContext().isValid()).isFalse();
  }

  @Test
  void firingAScheduleIsASpan() {
    try (HoldfastNode node = node()) {
      node.client()
          .schedules()
          .put(
              Schedule.named("often")
                  .runs(ECHO, new Note("x"))
                  .every(Duration.ofMillis(50))
                  .overlap(Overlap.ALLOW)
                  .build());
      SpanData fired = first("holdfast.fire");

      assertThat(number(fired, "holdfast.schedules.fired")).isEqualTo(1);
      assertThat(number(fired, "holdfast.jobs.created")).isPositive();
    }
  }

  @Test
  void aSweepThatRecoveredJobsIsASpan() {
    NodeRegistration registration =
        Worker.registration("dead", Set.of("default"), Set.of(ECHO.name()));
    UUID dead = registration.incarnation();
    store.nodes().register(registration);
    HoldfastClient.on(store).enqueue(ECHO, new Note("x"));
    assertThat(
            store
                .claims()
                .claim(
                    new ClaimRequest(
                        dead,
                        1,
                        "default",
                        List.of(ECHO.name()),
                        1,
                        0,
                        null,
                        ClaimRequest.Suspects.NONE,
                        Set.of())))
        .hasSize(1);
    store.nodes().markDead(dead, 0, Duration.ofMinutes(2));
    try (HoldfastNode node = node()) {
      SpanData sweep = first("holdfast.sweep");

      assertThat(number(sweep, "holdfast.jobs.recovered")).isEqualTo(1);
      assertThat(number(sweep, "holdfast.jobs.crashed")).isEqualTo(1);
      assertThat(number(sweep, "holdfast.jobs.dead_lettered")).isZero();
      assertThat(number(sweep, "holdfast.nodes.died")).as("by this sweep").isZero();
    }
  }

  @Test
  void upkeepThatDeletedSomethingIsASpan() {
    RoleSpans spans = new RoleSpans(telemetry.getOpenTelemetry(), "tracing", null);
    Upkeep.Retention retention = new Upkeep.Retention(Duration.ofDays(1), Duration.ofDays(1));
    Moment now = new Moment(1);

    new Housekeeper(
            any -> new Upkeep.Report(0, 0, 0, false), retention, new Random(1), () -> now, spans)
        .tick(now);
    assertThat(spans()).isEmpty();
    new Housekeeper(
            any -> new Upkeep.Report(1, 2, 3, false), retention, new Random(1), () -> now, spans)
        .tick(now);

    SpanData upkeep = first("holdfast.upkeep");
    assertThat(number(upkeep, "holdfast.partitions.dropped")).isEqualTo(1);
    assertThat(number(upkeep, "holdfast.dead_letters.purged")).isEqualTo(2);
    assertThat(number(upkeep, "holdfast.results.dropped")).isEqualTo(3);
  }

  @Test
  void aNodeThatPurgesADeadLetteredJobRecordsItsUpkeep() {
    ManualClock clock = new ManualClock(Instant.parse("2026-01-01T00:00:00Z"));
    InMemoryStore aging = new InMemoryStore(clock);
    try (HoldfastNode node = node(aging).start()) {
      Enqueued<String> job = node.client().enqueue(ECHO, new Note(""));
      assertThatThrownBy(() -> node.client().await(job, SOON))
          .isInstanceOf(JobFailedException.class);
    }
    clock.advance(Duration.ofDays(365));

    try (HoldfastNode node = node(aging).start()) {
      assertThat(number(first("holdfast.upkeep"), "holdfast.dead_letters.purged")).isEqualTo(1);
    }
  }

  @Test
  void roundsWithoutWorkAreNotRecorded() {
    Set<String> passes = ConcurrentHashMap.newKeySet();
    Store watched =
        Interposed.on(
            store,
            call -> {
              Object result = call.proceed();
              passes.add(call.name());
              return result;
            });
    TaskType<Note, Void> unknown = TaskType.of("trace::unknown", Note.class);
    try (HoldfastNode node = node(watched).start()) {
      node.client().enqueue(unknown, new Note("so that claims look for jobs, and find none"));
      await()
          .atMost(SOON)
          .until(() -> passes.containsAll(Set.of("claim", "look", "stage", "due", "tidy")));
    }

    assertThat(spans()).extracting(SpanData::getName).containsExactly("enqueue trace::unknown");
  }

  @Test
  void anExporterThatThrowsDoesNotAffectARole() {
    AtomicInteger exported = new AtomicInteger();
    SpanProcessor broken =
        new SpanProcessor() {
          @Override
          public void onStart(Context parent, ReadWriteSpan span) {}

          @Override
          public boolean isStartRequired() {
            return false;
          }

          @Override
          public void onEnd(ReadableSpan span) {
            exported.incrementAndGet();
            throw new IllegalStateException("The exporter is broken");
          }

          @Override
          public boolean isEndRequired() {
            return true;
          }
        };
    try (SdkTracerProvider tracers = SdkTracerProvider.builder().addSpanProcessor(broken).build();
        OpenTelemetrySdk sdk = OpenTelemetrySdk.builder().setTracerProvider(tracers).build()) {
      RoleSpans spans = new RoleSpans(sdk, "tracing", null);

      assertThatCode(() -> spans.worked("holdfast.claim", Duration.ZERO, span -> {}))
          .doesNotThrowAnyException();
      assertThatCode(() ->
              spans.worked(
                  "holdfast.claim",
                  Duration.ZERO,
                  span -> {
                    throw new NoClassDefFoundError("it is not there");
                  }))
          .doesNotThrowAnyException();
    }
    assertThat(exported).hasValue(1);
  }

  @Test
  void metersAreTaggedWithTheNameOfTheNodeAndNotItsId() throws Exception {
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
