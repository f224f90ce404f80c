package dev.holdfast.cli.print;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClosestTest {
  private static final List<String> KNOWN = List.of("job", "jobs", "nodes", "node", "queues");

  @ParameterizedTest
  @CsvSource({"jobz, jobs", "quueus, queues", "ndoes, nodes", "jbo, job", "Node, node"})
  void oneOrTwoWrongLettersAreTolerated(String word, String meant) {
    assertThat(Closest.to(word, KNOWN)).contains(meant);
  }

  @Test
  void aDissimilarWordIsNotSuggested() {
    assertThat(Closest.to("serve", KNOWN)).isEmpty();
    assertThat(Closest.to("", KNOWN)).isEmpty();
    assertThat(Closest.to("jobs", List.of())).isEmpty();
  }
}
