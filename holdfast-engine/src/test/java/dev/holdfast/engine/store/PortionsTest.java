package dev.holdfast.engine.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class PortionsTest {
  private static final long HALF = Portions.LARGEST / 2;

  @Test
  void aPortionIsBoundedByNumber() {
    assertThat(Portions.of(List.of(1L, 1L, 1L, 1L, 1L), 2, Long::longValue))
        .containsExactly(List.of(1L, 1L), List.of(1L, 1L), List.of(1L));
  }

  @Test
  void aPortionIsBoundedBySize() {
    assertThat(Portions.of(List.of(HALF, HALF, 1L, HALF), 10, Long::longValue))
        .containsExactly(List.of(HALF, HALF), List.of(1L, HALF));
  }

  @Test
  void whatIsTooLargeGoesAlone() {
    long huge = Portions.LARGEST * 3;

    assertThat(Portions.of(List.of(1L, huge, 1L), 10, Long::longValue))
        .containsExactly(List.of(1L), List.of(huge), List.of(1L));
  }

  @Test
  void nothingMakesNoPortion() {
    assertThat(Portions.of(List.<Long>of(), 10, Long::longValue)).isEmpty();
  }
}
