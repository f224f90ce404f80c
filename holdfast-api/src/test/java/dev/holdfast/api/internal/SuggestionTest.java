package dev.holdfast.api.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SuggestionTest {
  private static final List<String> KNOWN = List.of("charge", "pack", "park", "ship");

  @Test
  void theNameThatDiffersLeastIsSuggested() {
    assertThat(Suggestion.nearest("charg", KNOWN)).contains("charge");
    assertThat(Suggestion.nearest("pakc", KNOWN)).contains("pack");
    assertThat(Suggestion.nearest("parc", KNOWN)).contains("park");
    assertThat(Suggestion.nearest("shipp", KNOWN)).contains("ship");
  }

  @Test
  void aNameWithoutSimilarityIsNotSuggested() {
    assertThat(Suggestion.nearest("refund", KNOWN)).isEmpty();
    assertThat(Suggestion.nearest("paint", KNOWN)).isEmpty();
    assertThat(Suggestion.nearest("x", List.of("y", "xy"))).isEmpty();
    assertThat(Suggestion.nearest("", KNOWN)).isEmpty();
  }

  @Test
  void theRemedyIsASuggestionIfThereIsOne() {
    assertThat(Suggestion.orElse("shp", KNOWN, "add it.")).isEqualTo("did you mean 'ship'?");
    assertThat(Suggestion.orElse("refund", KNOWN, "add it.")).isEqualTo("add it.");
  }
}
