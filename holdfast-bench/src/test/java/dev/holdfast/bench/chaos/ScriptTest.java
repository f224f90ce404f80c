package dev.holdfast.bench.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.bench.chaos.Script.Blow;
import dev.holdfast.bench.chaos.Script.Kind;
import dev.holdfast.bench.chaos.Script.Stage;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScriptTest {
  private static final Set<Kind> PUT_ONE_OUT =
      Set.of(Kind.KILL, Kind.PAUSE, Kind.CUT_SILENTLY, Kind.CUT_HARD);

  private final Stage stage = new Stage(4, Duration.ofSeconds(40), Duration.ofSeconds(8), true);

  @Test
  void theSameSeedCreatesTheSameScript() {
    assertThat(Script.of(7, stage)).isEqualTo(Script.of(7, stage));
    assertThat(Script.of(7, stage)).isNotEqualTo(Script.of(8, stage));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void aShortScriptContainsEveryKindOfFault(long seed) {
    List<Blow> blows = Script.of(seed, stage).blows();

    assertThat(blows).extracting(Blow::kind).contains(Kind.values());
    assertThat(blows).isSortedAccordingTo(Comparator.comparing(Blow::at));
    assertThat(blows).allMatch(blow -> blow.at().compareTo(stage.length()) <= 0);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void noNodeHasTwoFaultsAtOnce(long seed) {
    List<Blow> blows =
        Script.of(seed, stage).blows().stream()
            .filter(blow -> PUT_ONE_OUT.contains(blow.kind()))
            .toList();

    for (Blow one : blows) {
      assertThat(blows)
          .noneMatch(other ->
              !other.equals(one)
                  && other.member() == one.member()
                  && other.at().compareTo(one.at()) >= 0
                  && other.at().compareTo(one.at().plus(one.length())) < 0);
    }
  }

  @Test
  void clocksThatCannotBeSetAreNotChanged() {
    Stage without = new Stage(4, Duration.ofMinutes(5), Duration.ofMinutes(1), false);

    assertThat(Script.of(1, without).count(Kind.CLOCK)).isZero();
  }
}
