package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.trigger.Published.Decision;
import dev.holdfast.api.trigger.Published.Outcome;
import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Upkeep;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Debounce and cooldown of the subjects of a trigger. */
public abstract class DebounceContract extends Contract {
  private static final String EVENT = "resource.updated";
  private static final Duration QUIET = Duration.ofSeconds(60);
  private static final Duration COOLDOWN = Duration.ofMinutes(10);

  private EventSource events;

  @BeforeEach
  void openEvents() {
    events = new EventSource(store, EVENT);
  }

  private static Trigger.Builder perId() {
    return Trigger.named("reindex").on(EVENT).start(TASK).queue(QUEUE).subject("id");
  }

  private static String payload(int id, String version) {
    return "{\"id\":%d,\"version\":\"%s\"}".formatted(id, version);
  }

  private static JobId job(Outcome outcome) {
    return Objects.requireNonNull(outcome.job());
  }

  private long live() {
    return count(JobFilter.all(), JobState.SCHEDULED) + count(JobFilter.all(), JobState.READY);
  }

  @Test
  void theLastEventStartsOneJobOnceItsSubjectIsQuiet() {
    store.triggers().put(perId().debounce(QUIET).build());
    Outcome first = events.publishToOne(payload(7, "a"));
    passTime(Duration.ofSeconds(40));
    Outcome second = events.publishToOne(payload(7, "b"));
    passTime(Duration.ofSeconds(40));
    stage();

    assertThat(first.decision()).isEqualTo(Decision.DEBOUNCED);
    assertThat(second).isEqualTo(first);
    assertThat(stateOf(job(first))).isEqualTo(JobState.SCHEDULED);

    passTime(Duration.ofSeconds(30));
    stage();
    assertThat(stateOf(job(first))).isEqualTo(JobState.READY);
    assertThat(find(job(first)).payload()).isEqualTo(payload(7, "b"));
    assertThat(live()).isEqualTo(1);
  }

  @Test
  void eachSubjectIsDebouncedSeparately() {
    store.triggers().put(perId().debounce(QUIET).build());

    JobId seven = job(events.publishToOne(payload(7, "a")));
    JobId eight = job(events.publishToOne(payload(8, "a")));

    assertThat(seven).isNotEqualTo(eight);
    assertThat(job(events.publishToOne(payload(7, "b")))).isEqualTo(seven);
  }

  @Test
  void aStreamOfEventsPostponesTheJobUpToTheMaximumWait() {
    store.triggers().put(perId().debounce(QUIET).maxWait(Duration.ofSeconds(90)).build());
    JobId first = job(events.publishToOne(payload(7, "a")));
    passTime(Duration.ofSeconds(50));
    assertThat(job(events.publishToOne(payload(7, "b")))).isEqualTo(first);
    passTime(Duration.ofSeconds(45));
    stage();

    assertThat(stateOf(first)).isEqualTo(JobState.READY);
    assertThat(job(events.publishToOne(payload(7, "c")))).isNotEqualTo(first);
  }

  @Test
  void anEventDuringTheRunStartsAnotherJob() {
    store.triggers().put(perId().debounce(QUIET).build());
    JobId first = job(events.publishToOne(payload(7, "a")));
    passTime(QUIET.plusSeconds(1));
    stage();
    Worker worker = worker();
    ClaimedJob running = worker.claimOne();

    Outcome second = events.publishToOne(payload(7, "b"));

    assertThat(second.decision()).isEqualTo(Decision.DEBOUNCED);
    assertThat(second.job()).isNotEqualTo(first);
    assertThat(find(first).payload()).isEqualTo(payload(7, "a"));
    worker.succeed(running);
    passTime(QUIET.plusSeconds(1));
    stage();
    assertThat(worker.claimOne().payload()).isEqualTo(payload(7, "b"));
  }

  @Test
  void aJobThatWaitsForItsRetryIsNotDebounced() {
    store.triggers().put(perId().debounce(QUIET).build());
    JobId first = job(events.publishToOne(payload(7, "a")));
    passTime(QUIET.plusSeconds(1));
    stage();
    Worker worker = worker();
    worker.retryIn(worker.claimOne(), Duration.ofHours(1));

    assertThat(job(events.publishToOne(payload(7, "b")))).isNotEqualTo(first);
    assertThat(find(first).payload()).isEqualTo(payload(7, "a"));
  }

  @Test
  void anEqualPayloadPostponesAWaitingJobAndIsADuplicateOnceTheJobHasStarted() {
    store.triggers().put(perId().debounce(QUIET).build());
    JobId first = job(events.publishToOne(payload(7, "a")));
    passTime(Duration.ofSeconds(40));
    assertThat(events.publishToOne(payload(7, "a")))
        .isEqualTo(new Outcome("reindex", Decision.DEBOUNCED, first));
    passTime(Duration.ofSeconds(40));
    stage();
    assertThat(stateOf(first)).isEqualTo(JobState.SCHEDULED);
    passTime(Duration.ofSeconds(40));
    stage();

    assertThat(stateOf(first)).isEqualTo(JobState.READY);
    assertThat(events.publishToOne(payload(7, "a")))
        .isEqualTo(new Outcome("reindex", Decision.DEDUPLICATED, first));
  }

  @Test
  void aSupersededPayloadDoesNotCountAsStarted() {
    store.triggers().put(perId().debounce(QUIET).build());
    JobId job = job(events.publishToOne(payload(7, "a")));
    events.publishToOne(payload(7, "b"));
    assertThat(events.publishToOne(payload(7, "a")).decision()).isEqualTo(Decision.DEBOUNCED);
    passTime(QUIET.plusSeconds(1));
    stage();

    assertThat(find(job).payload()).isEqualTo(payload(7, "a"));
    assertThat(events.publishToOne(payload(7, "b")).decision()).isEqualTo(Decision.DEBOUNCED);
  }

  @Test
  void anEventAfterTheWaitingJobWasCancelledStartsAnother() {
    store.triggers().put(perId().debounce(QUIET).build());
    JobId first = job(events.publishToOne(payload(7, "a")));
    store.control().cancel(first);

    Outcome next = events.publishToOne(payload(7, "b"));

    assertThat(next.decision()).isEqualTo(Decision.DEBOUNCED);
    assertThat(next.job()).isNotEqualTo(first);
  }

  @Test
  void concurrentEventsOfOneSubjectMakeOneJob() throws Exception {
    store.triggers().put(perId().debounce(QUIET).build());

    List<Outcome> outcomes = Together.run(8, n -> events.publishToOne(payload(7, "v" + n)));

    assertThat(outcomes).extracting(Outcome::decision).containsOnly(Decision.DEBOUNCED);
    assertThat(outcomes).extracting(Outcome::job).containsOnly(outcomes.get(0).job());
    assertThat(live()).isEqualTo(1);
  }

  @Test
  void eventsDuringTheCooldownStartNothing() {
    store.triggers().put(perId().cooldown(COOLDOWN).build());
    Outcome first = events.publishToOne(payload(7, "a"));

    assertThat(first.decision()).isEqualTo(Decision.STARTED);
    assertThat(events.publishToOne(payload(7, "b")))
        .isEqualTo(new Outcome("reindex", Decision.IN_COOLDOWN, first.job()));
    assertThat(events.publishToOne(payload(8, "a")).decision()).isEqualTo(Decision.STARTED);
    passTime(COOLDOWN.plusSeconds(1));
    assertThat(events.publishToOne(payload(7, "b")).decision()).isEqualTo(Decision.STARTED);
    assertThat(live()).isEqualTo(3);
  }

  @Test
  void concurrentEventsOutsideTheCooldownStartOneJob() throws Exception {
    store.triggers().put(perId().cooldown(COOLDOWN).build());

    List<Outcome> outcomes = Together.run(8, n -> events.publishToOne(payload(7, "v" + n)));

    assertThat(outcomes).extracting(Outcome::decision).containsOnlyOnce(Decision.STARTED);
    assertThat(live()).isEqualTo(1);
  }

  @Test
  void theCooldownOfADebouncedSubjectCountsFromTheStart() {
    store.triggers().put(perId().debounce(QUIET).cooldown(COOLDOWN).build());
    events.publishToOne(payload(7, "a"));
    assertThat(events.publishToOne(payload(7, "b")).decision()).isEqualTo(Decision.DEBOUNCED);
    passTime(QUIET.plusSeconds(1));

    assertThat(events.publishToOne(payload(7, "c")).decision()).isEqualTo(Decision.IN_COOLDOWN);
    passTime(COOLDOWN);
    assertThat(events.publishToOne(payload(7, "c")).decision()).isEqualTo(Decision.DEBOUNCED);
  }

  @Test
  void eventsWithoutTheFieldShareASubject() {
    store.triggers().put(perId().cooldown(COOLDOWN).build());

    assertThat(events.publishToOne("{\"a\":1}").decision()).isEqualTo(Decision.STARTED);
    assertThat(events.publishToOne("{\"a\":2}").decision()).isEqualTo(Decision.IN_COOLDOWN);
  }

  @Test
  void upkeepDeletesOnlySubjectsWhoseCooldownIsOver() {
    store.triggers().put(perId().cooldown(COOLDOWN).build());
    events.publishToOne(payload(7, "a"));
    Upkeep.Retention retention = new Upkeep.Retention(Duration.ofDays(1), Duration.ofDays(1));

    store.upkeep().tidy(retention);
    assertThat(events.publishToOne(payload(7, "b")).decision()).isEqualTo(Decision.IN_COOLDOWN);
    passTime(COOLDOWN.plusSeconds(1));
    store.upkeep().tidy(retention);
    assertThat(events.publishToOne(payload(7, "b")).decision()).isEqualTo(Decision.STARTED);
  }
}
