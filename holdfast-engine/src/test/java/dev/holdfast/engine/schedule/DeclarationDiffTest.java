package dev.holdfast.engine.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.store.ScheduleStore.Declaration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DeclarationDiffTest {
  private static final Declaration OLD = new Declaration("nightly", "v1", 1);
  private static final Declaration NEW = new Declaration("nightly", "v2", 2);

  @Test
  void theNewestDeclarationOfALiveNodeApplies() {
    assertThat(DeclarationDiff.ruledBy(Map.of("nightly", "v2"), List.of(OLD, NEW, OLD)))
        .containsExactly("nightly");
    assertThat(DeclarationDiff.ruledBy(Map.of("nightly", "v1"), List.of(OLD, NEW, OLD))).isEmpty();
  }

  @Test
  void anOldDeclarationAppliesAgainWhenNoNodeMakesTheNewOne() {
    assertThat(DeclarationDiff.ruledBy(Map.of("nightly", "v1"), List.of(OLD)))
        .containsExactly("nightly");
  }

  @Test
  void declarationsOfDeadNodesAreIgnored() {
    assertThat(DeclarationDiff.ruledBy(Map.of("nightly", "v1"), List.of())).isEmpty();
  }
}
