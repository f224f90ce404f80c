package dev.holdfast.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

class RoundsTest {

  @Test
  void sidesAlternateAndNeitherIsAlwaysFirst() throws Exception {
    List<String> turns = new ArrayList<>();

    new Rounds<Boolean>(3, step -> {})
        .side("a", () -> turns.add("a"))
        .side("b", () -> turns.add("b"))
        .run();

    assertThat(String.join("", turns)).isEqualTo("ab" + "ab" + "ba" + "ab");
  }

  @Test
  void theWarmUpCanBeOmitted() throws Exception {
    List<String> turns = new ArrayList<>();

    new Rounds<Boolean>(2, step -> {})
        .side("a", () -> turns.add("a"))
        .side("b", () -> turns.add("b"))
        .withoutWarmUp()
        .run();

    assertThat(String.join("", turns)).isEqualTo("ab" + "ba");
  }

  @Test
  void aSideThatDidNotRunHasNoMedianAndNoRatio() throws Exception {
    Rounds<Double> rounds = rounds(List.of(1.0, 2.0), List.of(1.0, 1.0));

    assertThat(rounds.median("missing", v -> v)).isNaN();
    assertThat(rounds.ratio("a", "missing", v -> v)).isNaN();
  }

  @Test
  void theWarmUpDoesNotCount() throws Exception {
    Rounds<Double> rounds = rounds(List.of(1000.0, 2.0, 3.0, 4.0), List.of(1000.0, 1.0, 1.0, 1.0));

    assertThat(rounds.median("a", v -> v)).isEqualTo(3);
  }

  @Test
  void aRatioIsTheMedianOverTheRounds() throws Exception {
    Rounds<Double> rounds = rounds(List.of(0.0, 10.0, 20.0, 90.0), List.of(0.0, 10.0, 40.0, 30.0));

    assertThat(rounds.ratio("a", "b", v -> v)).isEqualTo(1.0);
  }

  @Test
  void quantilesAreMeasuredValues() {
    List<Double> values = List.of(4.0, 1.0, 3.0, 2.0);

    assertThat(Quantiles.median(values)).isEqualTo(2.5);
    assertThat(Quantiles.of(values, 0.50)).isEqualTo(2.0);
    assertThat(Quantiles.of(values, 0.99)).isEqualTo(4.0);
  }

  private static Rounds<Double> rounds(List<Double> a, List<Double> b) throws Exception {
    Iterator<Double> as = a.iterator();
    Iterator<Double> bs = b.iterator();
    return new Rounds<Double>(a.size() - 1, step -> {})
        .side("a", as::next)
        .side("b", bs::next)
        .run();
  }
}
