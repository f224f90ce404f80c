package dev.holdfast.engine.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.NodeMode;
import dev.holdfast.engine.store.Modes;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CurrentModesTest {
  private static final Modes FULL = new Modes(NodeMode.FULL, Map.of());
  private static final Modes DISABLED = new Modes(NodeMode.DISABLED, Map.of());

  private final CurrentModes modes = new CurrentModes(FULL);

  @Test
  void changesWrittenByOthersTakeEffect() {
    assertThat(modes.hear(DISABLED, modes.ownChanges())).isTrue();

    assertThat(modes.isEnabled()).isFalse();
    assertThat(modes.hear(DISABLED, modes.ownChanges())).as("the same reply again").isFalse();
  }

  @Test
  void aReplyReadBeforeALocalChangeDoesNotUndoIt() {
    int asked = modes.ownChanges();
    modes.choose(DISABLED);

    assertThat(modes.hear(FULL, asked)).isFalse();
    assertThat(modes.modes()).isEqualTo(DISABLED);
    assertThat(modes.hear(FULL, modes.ownChanges())).as("the next reply").isTrue();
  }

  @Test
  void theLongestMatchingOverrideWins() {
    modes.choose(
        new Modes(
            NodeMode.FULL,
            Map.of("mail::**", NodeMode.TRIGGER_ONLY, "mail::urgent::*", NodeMode.FULL)));

    assertThat(modes.mayRun("mail::weekly::send")).isFalse();
    assertThat(modes.mayRun("mail::urgent::send")).isTrue();
    assertThat(modes.mayRun("print")).isTrue();
  }
}
