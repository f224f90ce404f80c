package dev.holdfast.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PageTest {

  @Test
  void theFirstPageStartsAfterNothing() {
    assertThat(Page.<String>first(50).after()).isEmpty();
    assertThat(Page.after("b", 50).after()).contains("b");
    assertThat(Page.after("b", 50).limit()).isEqualTo(50);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 1_001})
  void aPageThatIsEmptyOrTooLargeIsRejected(int limit) {
    assertThatThrownBy(() -> Page.first(limit))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(Integer.toString(limit))
        .hasMessageContaining("1 to 1000");
  }
}
