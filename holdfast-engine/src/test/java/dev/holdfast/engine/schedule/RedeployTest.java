package dev.holdfast.engine.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.store.ScheduleBook.Declaration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RedeployTest {
  private static final Declaration OLD = new Declaration("nightly", "v1", 1);
  private static final Declaration NEW = new Declaration("nightly", "v2", 2);

  @Test
  void theNewestDeclarationOfALiveNodeHolds() {
    assertThat(Redeploy.ruledBy(Map.of("nightly", "v2"), List.of(OLD, NEW, OLD)))
        .containsExactly("nightly");
    assertThat(Redeploy.ruledBy(Map.of("nightly", "v1"), List.of(OLD, NEW, OLD))).isEmpty();
  }

  @Test
  void anOldDeclarationHoldsAgainWhenNobodyMakesTheNewOne() {
    assertThat(Redeploy.ruledBy(Map.of("nightly", "v1"), List.of(OLD))).containsExactly("nightly");
  }

  @Test
  void aNodeThatIsNotAliveRulesNothing() {
    assertThat(Redeploy.ruledBy(Map.of("nightly", "v1"), List.of())).isEmpty();
  }
}
