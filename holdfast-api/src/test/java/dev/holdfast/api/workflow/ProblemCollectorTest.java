package dev.holdfast.api.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.internal.ProblemCollector;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProblemCollectorTest {

  private static void empty(String name) {
    Workflow.define(name, Object.class, flow -> {});
  }

  @Test
  void theProblemsOfAllWorkflowsAreCollected() {
    List<IllegalArgumentException> problems =
        ProblemCollector.during(() -> {
          empty("test::one");
          empty("test::two");
        });

    assertThat(problems)
        .extracting(problem -> ((InvalidWorkflowException) problem).workflow())
        .containsExactly("test::one", "test::two");
  }

  @Test
  void aThreadThatDoesNotCollectGetsAnException() {
    assertThatThrownBy(() -> empty("test::one")).isInstanceOf(InvalidWorkflowException.class);
    ProblemCollector.during(() -> {});
    assertThatThrownBy(() -> empty("test::one")).isInstanceOf(InvalidWorkflowException.class);
  }

  @Test
  void anExceptionEndsTheCollection() {
    assertThatThrownBy(() ->
            ProblemCollector.during(() -> {
              throw new IllegalStateException("broken");
            }))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> empty("test::one")).isInstanceOf(InvalidWorkflowException.class);
  }
}
