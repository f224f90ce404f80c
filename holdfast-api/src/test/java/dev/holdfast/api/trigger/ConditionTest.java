package dev.holdfast.api.trigger;

import static dev.holdfast.api.trigger.Condition.field;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ConditionTest {

  @SuppressWarnings("NullAway") // Code that is compiled without a null checker can do this.
  static List<Function<Condition.OnField, Condition>> comparisonsWithNull() {
    return List.of(
        field -> field.is(null),
        field -> field.isNot(null),
        field -> field.isOneOf("page", null),
        field -> field.isGreaterThan(null),
        field -> field.isLessThan(null));
  }

  @ParameterizedTest
  @MethodSource("comparisonsWithNull")
  void comparingWithNullIsRejectedWithAHintToIsMissing(
      Function<Condition.OnField, Condition> comparison) {
    assertThatThrownBy(() -> comparison.apply(field("author")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("field(\"author\").isMissing()");
  }
}
