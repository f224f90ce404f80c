package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Finding and listing jobs, in all tables that may contain them. */
public abstract class QueryContract extends Contract {

  @Test
  void aJobNamesItsStackAndWhoMadeItWhateverBecomesOfIt() {
    Worker worker = serving("node-1", "blue");
    JobId id = enqueue(job().stamp("blue", "front-1"));
    assertMadeByFront(id, JobState.READY);
    worker.die(worker.claimOne());
    assertMadeByFront(id, JobState.FAILED);
    store.control().retry(id);
    assertMadeByFront(id, JobState.READY);
    worker.succeed(worker.claimOne());
    assertMadeByFront(id, JobState.SUCCEEDED);

    Job plain = find(enqueue(job()));
    assertThat(plain.stack()).isNull();
    assertThat(plain.source()).isNull();
  }

  private void assertMadeByFront(JobId id, JobState state) {
    Job job = find(id);
    assertThat(job.state()).isEqualTo(state);
    assertThat(job.stack()).isEqualTo("blue");
    assertThat(job.source()).isEqualTo("front-1");
  }

  @ParameterizedTest
  @EnumSource(
      names = {"WAITING", "ON_HOLD"},
      mode = Mode.EXCLUDE)
  void aJobIsFoundInEveryState(JobState state) {
    JobId id = bring(job().payload("p").tags("a").priority(6), state);

    Job job = find(id);

    assertThat(job.id()).isEqualTo(id);
    assertThat(job.state()).isEqualTo(state);
    assertThat(job.task()).isEqualTo(TASK);
    assertThat(job.queue()).isEqualTo(QUEUE);
    assertThat(job.payload()).isEqualTo("p");
    assertThat(job.tags()).containsExactly("a");
    assertThat(job.priority()).isEqualTo(6);
    assertThat(job.endedAt() != null).isEqualTo(state.hasEnded());
  }

  @Test
  void jobsOfDifferentStatesAreFoundAtOnce() {
    List<JobId> ids = List.copyOf(oneInEachState().values());

    assertThat(store.queries().find(ids))
        .hasSize(ids.size())
        .allSatisfy((id, job) -> assertThat(job.id()).isEqualTo(id))
        .containsOnlyKeys(ids.toArray(JobId[]::new));
  }

  @Test
  void whatDoesNotExistIsNotFound() {
    JobId known = enqueue(job());

    assertThat(store.queries().find(Set.of(known, freshId()))).containsOnlyKeys(known);
    assertThat(store.queries().find(Set.of())).isEmpty();
  }

  @Test
  void jobsAreListedNewestFirstWhateverTheirState() {
    List<JobId> ids = List.copyOf(oneInEachState().values());

    assertThat(list(JobFilter.all(), null, PLENTY)).containsExactlyElementsOf(ids.reversed());
  }

  @Test
  void aListGoesOnJustBeforeWhereThePageBeforeEnded() {
    List<JobId> newestFirst = List.copyOf(oneInEachState().values()).reversed();

    assertThat(list(JobFilter.all(), null, 3)).containsExactlyElementsOf(newestFirst.subList(0, 3));
    assertThat(list(JobFilter.all(), newestFirst.get(2), 3))
        .containsExactlyElementsOf(newestFirst.subList(3, 6));
    assertThat(list(JobFilter.all(), newestFirst.get(5), 3))
        .containsExactlyElementsOf(newestFirst.subList(6, 8));
    assertThat(list(JobFilter.all(), newestFirst.get(7), 3)).isEmpty();
  }

  @Test
  void jobsCanBeSelectedByTheTimeOfTheirCreation() {
    List<JobId> earlier = List.copyOf(oneInEachState().values()).reversed();
    passTime(Duration.ofMinutes(1));
    List<JobId> later = List.copyOf(oneInEachState().values()).reversed();
    Instant between = find(later.getLast()).createdAt();

    for (JobFilter filter : List.of(JobFilter.all(), JobFilter.all().task(TASK))) {
      assertThat(list(filter.createdAfter(between), null, PLENTY)).containsExactlyElementsOf(later);
      assertThat(list(filter.createdBefore(between), null, PLENTY))
          .containsExactlyElementsOf(earlier);
      assertThat(countAll(filter.createdAfter(between))).isEqualTo(later.size());
      assertThat(countAll(filter.createdBefore(between))).isEqualTo(earlier.size());
      assertThat(list(filter.createdAfter(between).createdBefore(between), null, PLENTY)).isEmpty();
    }
    assertThat(store.control().purge(JobFilter.all().createdAfter(between), null, PLENTY).count())
        .isEqualTo(1);
    assertThat(store.control().purge(JobFilter.all().createdAfter(between), null, PLENTY).count())
        .isZero();
  }

  @ParameterizedTest
  @EnumSource(
      names = {"WAITING", "ON_HOLD"},
      mode = Mode.EXCLUDE)
  void aListCanBeOfOneState(JobState state) {
    Map<JobState, JobId> ids = oneInEachState();

    assertThat(list(JobFilter.all().state(state), null, PLENTY)).containsExactly(ids.get(state));
  }

  @Test
  void aListCanBeOfSeveralStates() {
    Map<JobState, JobId> ids = oneInEachState();
    JobFilter filter = JobFilter.all().state(JobState.RUNNING, JobState.FAILED, JobState.EXPIRED);

    assertThat(list(filter, null, PLENTY))
        .containsExactly(
            ids.get(JobState.EXPIRED), ids.get(JobState.FAILED), ids.get(JobState.RUNNING));
  }

  @ParameterizedTest
  @EnumSource(names = {"READY", "SUCCEEDED", "FAILED"})
  void aListCanBeOfAQueueATaskOrATag(JobState state) {
    JobId plain = bring(job(), state);
    JobId queued = bring(job().queue("bulk"), state);
    JobId other = bring(job().task("other"), state);
    JobId tagged = bring(job().queue("tagged").tags("eu", "new"), state);

    assertThat(list(JobFilter.all().queue("bulk"), null, PLENTY)).containsExactly(queued);
    assertThat(list(JobFilter.all().task("other"), null, PLENTY)).containsExactly(other);
    assertThat(list(JobFilter.all().tag("eu"), null, PLENTY)).containsExactly(tagged);
    assertThat(list(JobFilter.all().queue(QUEUE).task(TASK), null, PLENTY)).containsExactly(plain);
    assertThat(list(JobFilter.all().state(state).tag("new").queue("tagged"), null, PLENTY))
        .containsExactly(tagged);
    assertThat(list(JobFilter.all().tag("new").queue("bulk"), null, PLENTY)).isEmpty();
    assertThat(list(JobFilter.all().tag("e"), null, PLENTY)).isEmpty();
  }

  @Test
  void aFilteredListIsPagedToo() {
    List<JobId> ids =
        enqueueAll(
            job().tags("eu"), job(), job().tags("eu"), job().tags("eu"), job(), job().tags("eu"));
    JobFilter filter = JobFilter.all().tag("eu");

    assertThat(list(filter, null, 3)).containsExactly(ids.get(5), ids.get(3), ids.get(2));
    assertThat(list(filter, ids.get(2), 3)).containsExactly(ids.get(0));
  }

  @Test
  void listedJobsAreTheSameAsFoundOnes() {
    oneInEachState();

    assertThat(store.queries().list(JobFilter.all(), null, PLENTY))
        .allSatisfy(job -> assertThat(job).isEqualTo(find(job.id())));
  }

  private List<JobId> list(JobFilter filter, @Nullable JobId before, int limit) {
    return store.queries().list(filter, before, limit).stream().map(Job::id).toList();
  }

  /**
   * One job in each state that jobs without a run can have, oldest first, each in a queue of its
   * own.
   */
  private Map<JobState, JobId> oneInEachState() {
    Map<JobState, JobId> ids = new EnumMap<>(JobState.class);
    EnumSet<JobState> ofSteps = EnumSet.of(JobState.WAITING, JobState.ON_HOLD);
    for (JobState state : EnumSet.complementOf(ofSteps)) {
      ids.put(state, bring(job().queue("queue-" + state.name().toLowerCase(Locale.ROOT)), state));
    }
    return ids;
  }
}
