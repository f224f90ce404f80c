package dev.holdfast.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.api.internal.Names;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamesTest {
  @Test
  void aTextMayContainAnyCharacters() {
    assertThat(Names.text("Tag", "ünï 漢字 🚀")).isEqualTo("ünï 漢字 🚀");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\ud83d", "\ude80a", "\ude80\ud83d", "a\ud83db"})
  void halfOfASurrogatePairIsRejected(String cut) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Names.text("Tag", cut))
        .withMessageStartingWith("Tag '" + cut)
        .withMessageContaining("half of a surrogate pair");
  }
}
