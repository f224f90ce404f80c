package dev.holdfast.tck.contract;

import static dev.holdfast.api.trigger.Condition.field;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.schedule.PutResult;
import dev.holdfast.api.trigger.Published;
import dev.holdfast.api.trigger.Published.Decision;
import dev.holdfast.api.trigger.Published.Outcome;
import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.engine.store.EventIntake.Start;
import dev.holdfast.engine.store.TriggerSnapshot;
import dev.holdfast.engine.trigger.EventPublication;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Events start jobs at most once per distinct payload. */
public abstract class TriggerContract extends Contract {
  private static final String EVENT = "resource.updated";
  private static final String PAGE = "{\"id\":7,\"kind\":\"page\"}";

  private EventSource events;

  @BeforeEach
  void openEvents() {
    events = new EventSource(store, EVENT);
  }

  private static Trigger.Builder reindex() {
    return Trigger.named("reindex").on(EVENT).start(TASK).queue(QUEUE);
  }

  private static JobId job(Outcome outcome) {
    return Objects.requireNonNull(outcome.job());
  }

  @Test
  void anEventStartsTheTaskOfItsTriggerWithItsPayload() {
    store.triggers().put(reindex().priority(7).tags("fresh").build());

    Outcome outcome = events.publishToOne(PAGE);

    assertThat(outcome.decision()).isEqualTo(Decision.STARTED);
    assertThat(find(job(outcome)))
        .satisfies(job -> {
          assertThat(job.task()).isEqualTo(TASK);
          assertThat(job.queue()).isEqualTo(QUEUE);
          assertThat(job.priority()).isEqualTo(7);
          assertThat(job.tags()).containsExactly("fresh");
          assertThat(job.payload()).isEqualTo(PAGE);
          assertThat(job.state()).isEqualTo(JobState.READY);
          assertThat(job.uniqueKey()).startsWith("event:reindex:");
        });
  }

  @Test
  void anEventWithoutATriggerStartsNothing() {
    store.triggers().put(Trigger.named("other").on("resource.removed").start(TASK).build());

    assertThat(events.publish(PAGE).outcomes()).isEmpty();
    assertThat(countAll(JobFilter.all())).isZero();
  }

  @Test
  void anEqualPayloadIsADuplicateRegardlessOfTheOrderOfItsFields() {
    store.triggers().put(reindex().build());
    JobId first = job(events.publishToOne("{\"id\":7,\"at\":{\"x\":1,\"y\":[1.0,2]}}"));

    Outcome again = events.publishToOne("{ \"at\": {\"y\":[1,2.00], \"x\":1}, \"id\":7 }");

    assertThat(again).isEqualTo(new Outcome("reindex", Decision.DEDUPLICATED, first));
    assertThat(countAll(JobFilter.all())).isEqualTo(1);
  }

  @Test
  void distinctPayloadsStartDistinctJobs() {
    store.triggers().put(reindex().build());

    assertThat(events.publishToOne("{\"ids\":[1,2]}").decision()).isEqualTo(Decision.STARTED);
    assertThat(events.publishToOne("{\"ids\":[2,1]}").decision()).isEqualTo(Decision.STARTED);
    assertThat(events.publishToOne("{\"ids\":\"1,2\"}").decision()).isEqualTo(Decision.STARTED);
    assertThat(countAll(JobFilter.all())).isEqualTo(3);
  }

  @Test
  void concurrentPublishersOfOneEventCreateOneJob() throws Exception {
    store.triggers().put(reindex().build());

    List<Outcome> outcomes = Together.run(8, n -> events.publishToOne(PAGE));

    assertThat(outcomes).extracting(Outcome::decision).containsOnlyOnce(Decision.STARTED);
    assertThat(outcomes).extracting(Outcome::job).containsOnly(outcomes.get(0).job());
    assertThat(countAll(JobFilter.all())).isEqualTo(1);
  }

  @Test
  void concurrentPublishersOfDistinctEventsCreateAJobEach() throws Exception {
    store.triggers().put(reindex().build());
    store.triggers().put(Trigger.named("audit").on(EVENT).start(TASK).queue(QUEUE).build());

    Together.run(8, n -> events.publish("{\"id\":%d}".formatted(n)));

    assertThat(countAll(JobFilter.all())).isEqualTo(16);
  }

  @Test
  void anEqualPayloadStartsAJobAgainAfterTheWindow() {
    store.triggers().put(reindex().window(Duration.ofMinutes(10)).build());
    events.publishToOne(PAGE);

    passTime(Duration.ofMinutes(9));
    assertThat(events.publishToOne(PAGE).decision()).isEqualTo(Decision.DEDUPLICATED);
    passTime(Duration.ofMinutes(2));
    assertThat(events.publishToOne(PAGE).decision()).isEqualTo(Decision.STARTED);
  }

  @Test
  void finishedJobsAreDuplicatesWithinTheWindowAndNotAfterIt() {
    store.triggers().put(reindex().window(Duration.ofMinutes(10)).build());
    events.publishToOne(PAGE);
    Worker worker = worker();
    worker.succeed(worker.claimOne());

    assertThat(events.publishToOne(PAGE).decision()).isEqualTo(Decision.DEDUPLICATED);
    passTime(Duration.ofMinutes(11));
    assertThat(events.publishToOne(PAGE).decision()).isEqualTo(Decision.STARTED);
  }

  @Test
  void conditionsOnFieldsDecideWhichTriggersMatchAnEvent() {
    store
        .triggers()
        .put(
            reindex()
                .where(
                    field("kind").isOneOf("page", "post"),
                    field("author.role").isNot("bot"),
                    field("size").isGreaterThan(10),
                    field("draft").isMissing())
                .build());

    assertThat(
            events
                .publishToOne("{\"kind\":\"page\",\"author\":{\"role\":\"ed\"},\"size\":11}")
                .decision())
        .isEqualTo(Decision.STARTED);
    for (String other :
        List.of(
            "{\"kind\":\"file\",\"size\":11}",
            "{\"kind\":\"page\",\"author\":{\"role\":\"bot\"},\"size\":11}",
            "{\"kind\":\"page\",\"size\":10}",
            "{\"kind\":\"page\",\"size\":\"11\"}",
            "{\"kind\":\"page\",\"size\":11,\"draft\":true}",
            "[1]")) {
      Published published = events.publish(other);
      assertThat(published.outcomes())
          .containsExactly(new Outcome("reindex", Decision.NOT_MATCHED, null));
      assertThat(published.matched()).isZero();
    }
    assertThat(countAll(JobFilter.all())).isEqualTo(1);
  }

  @Test
  void everyTriggerOfAnEventStartsItsOwnJob() {
    store.triggers().put(reindex().build());
    store.triggers().put(Trigger.named("audit").on(EVENT).start(TASK).build());

    Published published = events.publish(PAGE);

    assertThat(published.outcomes())
        .extracting(Outcome::trigger)
        .containsExactly("audit", "reindex");
    assertThat(published.started()).hasSize(2).doesNotHaveDuplicates();
  }

  @Test
  void anEventRepeatedAfterALostReplyHasTheSameResult() {
    store.triggers().put(reindex().build());
    store
        .triggers()
        .put(Trigger.named("calm").on(EVENT).start(TASK).cooldown(Duration.ofHours(1)).build());
    store
        .triggers()
        .put(Trigger.named("late").on(EVENT).start(TASK).debounce(Duration.ofHours(1)).build());
    EventPublication publication = events.publication(PAGE);

    Published first = publication.publish(store.events());
    Published again = publication.publish(store.events());

    assertThat(again).isEqualTo(first);
    assertThat(first.outcomes())
        .extracting(Outcome::decision)
        .containsExactly(Decision.STARTED, Decision.DEBOUNCED, Decision.STARTED);
    assertThat(countAll(JobFilter.all())).isEqualTo(3);
  }

  @Test
  void anEventRepeatedAfterALostReplyFindsAJobThatHasEnded() {
    store.triggers().put(reindex().build());
    EventPublication publication = events.publication(PAGE);
    Published first = publication.publish(store.events());
    Worker worker = worker();
    worker.succeed(worker.claimOne());

    assertThat(publication.publish(store.events())).isEqualTo(first);
    assertThat(countAll(JobFilter.all())).isEqualTo(1);
  }

  @Test
  void anEventThatCannotBeStoredStartsNothingAtAll() {
    store.triggers().put(Trigger.named("audit").on(EVENT).start(TASK).build());
    store.triggers().put(reindex().build());
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() ->
            store
                .events()
                .publish(
                    EVENT,
                    triggers ->
                        List.of(
                            start("audit", job().payload("fine")),
                            start("reindex", job().payload("nul \0")))));
    assertThat(countAll(JobFilter.all())).isZero();
    assertThat(events.publish(PAGE).started()).hasSize(2);
  }

  private static Start start(String trigger, JobDraft draft) {
    return new Start(trigger, draft.build(), null);
  }

  @Test
  void aTriggerIsReadBackAsItWasPut() {
    Trigger trigger =
        reindex()
            .where(
                field("a").is("x"),
                field("b").is(12.50),
                field("c").isNot(true),
                field("d").isOneOf("y", 1_000, false),
                field("e").exists(),
                field("f").isMissing(),
                field("g").isGreaterThan(1),
                field("h").isLessThan(-0.5))
            .window(Duration.ofMinutes(5))
            .subject("id")
            .debounce(Duration.ofSeconds(5))
            .maxWait(Duration.ofMinutes(1))
            .cooldown(Duration.ofMinutes(2))
            .tags("b", "a")
            .build();
    store.triggers().put(trigger);

    assertThat(store.triggers().find("reindex")).contains(new TriggerSnapshot(trigger, false));
    assertThat(store.triggers().find("other")).isEmpty();
  }

  @Test
  void puttingATriggerReplacesTheOneWithTheSameIdAndKeepsItPaused() {
    store.triggers().put(reindex().build());
    assertThat(store.triggers().pause("reindex", true)).isTrue();
    Trigger changed = reindex().on("resource.moved").build();
    store.triggers().put(changed);

    assertThat(store.triggers().list()).containsExactly(new TriggerSnapshot(changed, true));
  }

  @Test
  void puttingATriggerReturnsWhetherItWasCreatedOrChanged() {
    assertThat(store.triggers().put(reindex().build())).isEqualTo(PutResult.CREATED);
    assertThat(store.triggers().put(reindex().build())).isEqualTo(PutResult.UNCHANGED);
    assertThat(store.triggers().put(reindex().priority(7).build())).isEqualTo(PutResult.CHANGED);
  }

  @Test
  void aPausedTriggerIgnoresEventsUntilItIsResumed() {
    store.triggers().put(reindex().build());
    store.triggers().pause("reindex", true);
    assertThat(events.publish(PAGE).outcomes()).isEmpty();

    store.triggers().pause("reindex", false);
    assertThat(events.publishToOne(PAGE).decision()).isEqualTo(Decision.STARTED);
    assertThat(store.triggers().pause("other", true)).isFalse();
  }

  @Test
  void aDeletedTriggerStartsNothingAndItsJobsAreKept() {
    store.triggers().put(reindex().build());
    JobId started = job(events.publishToOne(PAGE));

    assertThat(store.triggers().delete("reindex")).isTrue();
    assertThat(store.triggers().delete("reindex")).isFalse();
    assertThat(events.publish("{\"id\":8}").outcomes()).isEmpty();
    assertThat(stateOf(started)).isEqualTo(JobState.READY);
  }
}
