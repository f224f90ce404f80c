package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
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
import org.junit.jupiter.params.provider.ValueSource;

/** Finding and listing jobs in all tables that may contain them. */
public abstract class QueryContract extends Contract {

  @Test
  void aJobShowsItsStackAndItsOriginInEveryState() {
    Worker worker = serving("node-1", "blue");
    JobId id = enqueue(job().stamp("blue", "front-1"));
    assertCreatedByFront(id, JobState.READY);
    worker.failPermanently(worker.claimOne());
    assertCreatedByFront(id, JobState.FAILED);
    store.control().retry(id);
    assertCreatedByFront(id, JobState.READY);
    worker.succeed(worker.claimOne());
    assertCreatedByFront(id, JobState.SUCCEEDED);

    Job plain = find(enqueue(job()));
    assertThat(plain.stack()).isNull();
    assertThat(plain.source()).isNull();
  }

  private void assertCreatedByFront(JobId id, JobState state) {
    Job job = find(id);
    assertThat(job.state()).isEqualTo(state);
    assertThat(job.stack()).isEqualTo("blue");
    assertThat(job.source()).isEqualTo("front-1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"00000000-0000-4000-8000-000000000001", "f47ac10b-58cc-4372-a567-0e02b2c3d479"})
  void aJobWhoseIdContainsNoTimeIsFoundByItsCreationTime(String own) {
    JobId id = enqueue(job().id(JobId.parse(own)));
    JobId other = enqueue(job());
    Instant created = find(id).createdAt();
    JobFilter around = JobFilter.all().createdAfter(created).createdBefore(created.plusSeconds(60));

    assertThat(list(around, null, PLENTY)).containsExactlyInAnyOrder(id, other);
    assertThat(list(JobFilter.all().createdAfter(created), null, PLENTY)).contains(id);
    assertThat(list(JobFilter.all().createdBefore(created.plusSeconds(60)), null, PLENTY))
        .contains(id);
    assertThat(list(JobFilter.all().createdBefore(created), null, PLENTY)).isEmpty();
    assertThat(countAll(around)).isEqualTo(2);
    List<JobId> pages = new ArrayList<>(list(around, null, 1));
    pages.addAll(list(around, pages.getFirst(), 1));
    assertThat(pages).containsExactlyElementsOf(list(around, null, PLENTY));
    assertThat(list(around, pages.getLast(), 1)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      names = {"WAITING", "ON_HOLD"},
      mode = Mode.EXCLUDE)
  void aJobIsFoundInEveryState(JobState state) {
    JobId id = bringTo(job().payload("p").tags("a").priority(6), state);

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
  void unknownJobsAreNotFound() {
    JobId known = enqueue(job());

    assertThat(store.queries().find(Set.of(known, freshId()))).containsOnlyKeys(known);
    assertThat(store.queries().find(Set.of())).isEmpty();
  }

  @Test
  void jobsAreListedNewestFirstInEveryState() {
    List<JobId> ids = List.copyOf(oneInEachState().values());

    assertThat(list(JobFilter.all(), null, PLENTY)).containsExactlyElementsOf(ids.reversed());
  }

  @Test
  void aPageContinuesWhereThePreviousPageEnded() {
    List<JobId> newestFirst = List.copyOf(oneInEachState().values()).reversed();

    assertThat(list(JobFilter.all(), null, 3)).containsExactlyElementsOf(newestFirst.subList(0, 3));
    assertThat(list(JobFilter.all(), newestFirst.get(2), 3))
        .containsExactlyElementsOf(newestFirst.subList(3, 6));
    assertThat(list(JobFilter.all(), newestFirst.get(5), 3))
        .containsExactlyElementsOf(newestFirst.subList(6, 8));
    assertThat(list(JobFilter.all(), newestFirst.get(7), 3)).isEmpty();
  }

  @Test
  void jobsCanBeListedByCreationTime() {
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
  void jobsCanBeListedByState(JobState state) {
    Map<JobState, JobId> ids = oneInEachState();

    assertThat(list(JobFilter.all().state(state), null, PLENTY)).containsExactly(ids.get(state));
  }

  @Test
  void jobsCanBeListedBySeveralStates() {
    Map<JobState, JobId> ids = oneInEachState();
    JobFilter filter = JobFilter.all().state(JobState.RUNNING, JobState.FAILED, JobState.EXPIRED);

    assertThat(list(filter, null, PLENTY))
        .containsExactly(
            ids.get(JobState.EXPIRED), ids.get(JobState.FAILED), ids.get(JobState.RUNNING));
  }

  @ParameterizedTest
  @EnumSource(names = {"READY", "SUCCEEDED", "FAILED"})
  void jobsCanBeListedByQueueTaskOrTag(JobState state) {
    JobId plain = bringTo(job(), state);
    JobId queued = bringTo(job().queue("bulk"), state);
    JobId other = bringTo(job().task("other"), state);
    JobId tagged = bringTo(job().queue("tagged").tags("eu", "new"), state);

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
  void listedJobsEqualFoundJobs() {
    oneInEachState();

    assertThat(store.queries().list(JobFilter.all(), null, PLENTY))
        .allSatisfy(job -> assertThat(job).isEqualTo(find(job.id())));
  }

  private List<JobId> list(JobFilter filter, @Nullable JobId before, int limit) {
    return store.queries().list(filter, before, limit).stream().map(Job::id).toList();
  }

  /**
   * Enqueues one job for each state that jobs without a run can have, oldest first, each in a
   * separate queue.
   */
  private Map<JobState, JobId> oneInEachState() {
    Map<JobState, JobId> ids = new EnumMap<>(JobState.class);
    EnumSet<JobState> ofSteps = EnumSet.of(JobState.WAITING, JobState.ON_HOLD);
    for (JobState state : EnumSet.complementOf(ofSteps)) {
      ids.put(state, bringTo(job().queue("queue-" + state.name().toLowerCase(Locale.ROOT)), state));
    }
    return ids;
  }
}
