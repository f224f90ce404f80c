package dev.holdfast.engine.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.rule.TaskRules.Group;
import dev.holdfast.engine.store.TaskStore.Rule;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TaskRulesTest {
  private static final Moment NOW = new Moment(1_000);
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final List<String> TASKS = List.of("a", "b", "c", "d");

  private final TaskRules rules = new TaskRules();

  @Test
  void withoutRulesAllTasksAreClaimedTogether() {
    assertThat(rules.groups(TASKS, NOW)).containsExactly(new Group(TASKS, null));
    assertThat(rules.nextOpening(TASKS, NOW)).isEqualTo(Moment.NEVER);
  }

  @Test
  void aLimitedTaskIsClaimedSeparatelyAndOneWithAnOpenBreakerNotAtAll() {
    rules.update(Map.of("b", new Rule(5, null), "c", new Rule(null, MINUTE)), NOW);

    assertThat(rules.groups(TASKS, NOW))
        .containsExactlyInAnyOrder(
            new Group(List.of("a", "d"), null), new Group(List.of("b"), new Rule(5, null)));
    assertThat(rules.nextOpening(TASKS, NOW)).isEqualTo(NOW.plus(MINUTE));
    assertThat(rules.nextOpening(List.of("a"), NOW)).isEqualTo(Moment.NEVER);
  }

  @Test
  void aTaskWithAnOpenBreakerIsClaimedSeparatelyAfterThePause() {
    rules.update(Map.of("c", new Rule(null, MINUTE)), NOW);

    assertThat(rules.groups(List.of("c"), NOW.plus(MINUTE)))
        .containsExactly(new Group(List.of("c"), new Rule(null, Duration.ZERO)));
  }

  @Test
  void onlyRelevantDifferencesCountAsAChange() {
    assertThat(rules.update(Map.of(), NOW)).isFalse();
    assertThat(rules.update(Map.of("a", new Rule(5, MINUTE)), NOW)).isTrue();
    assertThat(rules.update(Map.of("a", new Rule(5, MINUTE.minusMillis(20))), NOW)).isFalse();
    assertThat(rules.update(Map.of("a", new Rule(5, MINUTE.plusSeconds(9))), NOW)).isFalse();
    assertThat(rules.update(Map.of("a", new Rule(5, MINUTE)), NOW)).isTrue();
    assertThat(rules.update(Map.of("a", new Rule(6, MINUTE)), NOW)).isTrue();
    assertThat(rules.update(Map.of("a", new Rule(6, null)), NOW)).isTrue();
    assertThat(rules.update(Map.of(), NOW)).isTrue();
  }

  @Test
  void aRuleForOneTaskDoesNotAffectOthers() {
    rules.update(Map.of("a", new Rule(5, null)), NOW);
    rules.set("b", new Rule(null, MINUTE), NOW);
    assertThat(rules.isLimited("a")).isTrue();
    assertThat(rules.isBroken("b")).isTrue();

    rules.set("b", Rule.NONE, NOW);

    assertThat(rules.isBroken("b")).isFalse();
    assertThat(rules.isLimited("a")).isTrue();
  }
}
