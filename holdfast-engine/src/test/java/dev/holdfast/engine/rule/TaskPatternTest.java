package dev.holdfast.engine.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TaskPatternTest {

  @ParameterizedTest
  @CsvSource({
    "email::send, email::send, true",
    "email::send, email::sender, false",
    "ml::*, ml::train, true",
    "ml::*, ml::train::gpu, false",
    "ml::*, ml, false",
    "ml::**, ml::train::gpu, true",
    "**, anything::at::all, true",
    "*, single, true",
    "*, two::segments, false",
    "**::batch::*, a::b::batch::c, true",
    "**::batch::*, batch::c, true",
    "**::batch::*, a::batches::c, false",
    "**::batch::*, a::batch::c::d, false",
    "heavy_*, heavy_lifting, true",
    "heavy_*, heavy, false",
    "heavy_*, heavy_a::b, false",
    "*_gpu, train_gpu, true",
    "*_gpu, train_cpu, false",
    "ml::*_gpu, ml::train_gpu, true",
    "a::**::z, a::z, true",
    "a::**::z, a::b::c::z, true",
    "a::**::z, a::zz, false",
  })
  void aGlobMatchesTaskNames(String glob, String task, boolean expected) {
    assertThat(TaskPattern.of(glob).matches(task)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Email::*", "a:b", "a::", "::a", "a.b", "***", "a b"})
  void anInvalidPatternIsRejectedWithItsText(String glob) {
    assertThatThrownBy(() -> TaskPattern.of(glob))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + glob + "'")
        .hasMessageContaining("such as");
  }

  @Test
  void theFirstMatchingRuleWins() {
    Router router =
        Router.toAll("virtual")
            .route("ml::small::*", "virtual")
            .route("ml::**", "platform")
            .route("**::*_gpu", "gpu");

    assertThat(router.executorFor("ml::small::fit")).isEqualTo("virtual");
    assertThat(router.executorFor("ml::large::fit_gpu")).isEqualTo("platform");
    assertThat(router.executorFor("video::encode_gpu")).isEqualTo("gpu");
    assertThat(router.executorFor("email::send")).isEqualTo("virtual");
    assertThat(router.executors()).containsExactlyInAnyOrder("virtual", "platform", "gpu");
  }
}
