package dev.holdfast.api.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class JobFilterTest {
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
  private static final Instant EVENING = Instant.parse("2026-01-01T18:00:00Z");

  @Test
  void aFilterWithoutCriteriaMatchesEveryJob() {
    assertThat(JobFilter.all()).isEqualTo(new JobFilter(Set.of(), null, null, null, null, null));
    for (JobState state : JobState.values()) {
      assertThat(JobFilter.all().admits(state)).isTrue();
    }
    assertThat(JobFilter.all().admits(NOON)).isTrue();
  }

  @Test
  void eachCriterionKeepsTheOthersInWhateverOrderTheyAreSet() {
    List<UnaryOperator<JobFilter>> criteria =
        new ArrayList<>(
            List.of(
                filter -> filter.state(JobState.FAILED, JobState.EXPIRED),
                filter -> filter.queue("mail"),
                filter -> filter.task("email::welcome"),
                filter -> filter.tag("signup"),
                filter -> filter.createdAfter(NOON),
                filter -> filter.createdBefore(EVENING)));

    for (int i = 0; i < criteria.size(); i++) {
      JobFilter filter = JobFilter.all();
      for (UnaryOperator<JobFilter> criterion : criteria) {
        filter = criterion.apply(filter);
      }
      assertThat(filter)
          .isEqualTo(
              new JobFilter(
                  Set.of(JobState.FAILED, JobState.EXPIRED),
                  "mail",
                  "email::welcome",
                  "signup",
                  NOON,
                  EVENING));
      Collections.rotate(criteria, 1);
    }
  }

  @Test
  void aCriterionDoesNotChangeTheFilterThatItNarrows() {
    JobFilter wide = JobFilter.all().queue("mail");

    JobFilter narrow = wide.task("email::welcome");

    assertThat(wide.task()).isNull();
    assertThat(narrow.queue()).isEqualTo("mail");
  }

  @Test
  void onlyTheGivenStatesAreAdmitted() {
    JobFilter ended = JobFilter.all().state(JobState.FAILED, JobState.EXPIRED);

    assertThat(ended.admits(JobState.FAILED)).isTrue();
    assertThat(ended.admits(JobState.EXPIRED)).isTrue();
    assertThat(ended.admits(JobState.READY)).isFalse();
    assertThat(ended.states(Set.of()).admits(JobState.READY)).isTrue();
  }

  @Test
  void theFirstMomentIsAdmittedAndTheLastIsNot() {
    JobFilter afternoon = JobFilter.all().createdAfter(NOON).createdBefore(EVENING);

    assertThat(afternoon.admits(NOON.minusNanos(1))).isFalse();
    assertThat(afternoon.admits(NOON)).isTrue();
    assertThat(afternoon.admits(EVENING.minusNanos(1))).isTrue();
    assertThat(afternoon.admits(EVENING)).isFalse();
  }

  @Test
  void valuesThatNoJobCanHaveAreRejected() {
    assertThatThrownBy(() -> JobFilter.all().createdAfter(Instant.MIN))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(Instant.MIN.toString());
    assertThatThrownBy(() -> JobFilter.all().createdBefore(Instant.MAX))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(Instant.MAX.toString());
    assertThatThrownBy(() -> JobFilter.all().queue("A b")).hasMessageContaining("'A b'");
    assertThatThrownBy(() -> JobFilter.all().task("A b")).hasMessageContaining("'A b'");
  }
}
