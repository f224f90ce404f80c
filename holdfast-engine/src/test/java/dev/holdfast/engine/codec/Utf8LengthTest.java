package dev.holdfast.engine.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Utf8LengthTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "plain",
        "Gr\u00fc\u00dfe",
        "\u20ac\u65e5\u672c",
        "\ud83d\ude00!",
        "a\u00e9\u20ac\ud83d\ude00"
      })
  void theLengthOfATextIsItsNumberOfBytes(String text) {
    int bytes = text.getBytes(UTF_8).length;

    assertThat(Utf8Length.bytes(text)).isEqualTo(bytes);
    assertThat(Utf8Length.exceeds(text, bytes)).isFalse();
    assertThat(Utf8Length.exceeds(text, bytes + 1)).isFalse();
    assertThat(Utf8Length.exceeds(text + "x", bytes)).isTrue();
    assertThat(Utf8Length.exceeds(text + "\u20ac", bytes + 2)).isTrue();
  }
}
