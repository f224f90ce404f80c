package dev.holdfast.api.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class RunFilterTest {
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
  private static final Instant EVENING = Instant.parse("2026-01-01T18:00:00Z");
  private static final RunId PARENT = new RunId(new UUID(1, 2));

  @Test
  void eachCriterionKeepsTheOthersInWhateverOrderTheyAreSet() {
    List<UnaryOperator<RunFilter>> criteria =
        new ArrayList<>(
            List.of(
                filter -> filter.state(RunState.FAILED, RunState.PAUSED),
                filter -> filter.workflow("orders::fulfil"),
                filter -> filter.tag("web"),
                filter -> filter.childrenOf(PARENT),
                filter -> filter.createdAfter(NOON),
                filter -> filter.createdBefore(EVENING),
                RunFilter::stranded));

    for (int i = 0; i < criteria.size(); i++) {
      RunFilter filter = RunFilter.all();
      for (UnaryOperator<RunFilter> criterion : criteria) {
        filter = criterion.apply(filter);
      }
      assertThat(filter)
          .isEqualTo(
              new RunFilter(
                  Set.of(RunState.FAILED, RunState.PAUSED),
                  "orders::fulfil",
                  "web",
                  PARENT,
                  NOON,
                  EVENING,
                  true));
      Collections.rotate(criteria, 1);
    }
  }

  @Test
  void timesThatNoRunCanHaveAreRejected() {
    for (Instant time : List.of(Instant.MIN, Instant.MAX)) {
      assertThatThrownBy(() -> RunFilter.all().createdAfter(time))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("give a time from");
      assertThatThrownBy(() -> RunFilter.all().createdBefore(time))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("give a time from");
    }
  }
}
