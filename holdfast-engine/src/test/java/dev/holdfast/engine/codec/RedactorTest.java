package dev.holdfast.engine.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.Test;

class RedactorTest {
  private final Redactor redactor = new Redactor();

  @Test
  void aValueIsHiddenInAllItsForms() {
    String value = "p\"ss w/rd+ä\n=";
    redactor.hide(value);
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    assertThat(redactor.redact("a " + value + " b")).isEqualTo("a *** b");
    assertThat(redactor.redact("{\"x\":\"p\\\"ss w/rd+ä\\n=\"}")).isEqualTo("{\"x\":\"***\"}");
    assertThat(redactor.redact(URLEncoder.encode(value, StandardCharsets.UTF_8))).isEqualTo("***");
    assertThat(redactor.redact(Base64.getEncoder().encodeToString(bytes))).isEqualTo("***");
    assertThat(redactor.redact("nothing")).isEqualTo("nothing");
  }

  @Test
  void theLinesOfALongSecretAreHiddenOneByOne() {
    redactor.hide("-----BEGIN-----\nMIIBVgIBADAN\nabc\n-----END-----\n");
    assertThat(redactor.redact("x MIIBVgIBADAN y abc")).isEqualTo("x *** y abc");
  }

  @Test
  void aSecretThatContainsAnotherIsHiddenAsAWhole() {
    redactor.hide("password");
    redactor.hide("password-of-root");
    assertThat(redactor.redact("password-of-root, password")).isEqualTo("***, ***");
  }

  @Test
  void anOutputThatWasJsonStaysJson() {
    redactor.hide("12345678");
    assertThat(redactor.redactOutput("{\"a\":\"12345678\"}")).isEqualTo("{\"a\":\"***\"}");
    assertThat(redactor.redactOutput("{\"a\":12345678}")).isEqualTo("\"***\"");
    assertThat(redactor.redactOutput("12345678 in a text")).isEqualTo("*** in a text");
    assertThat(redactor.redactOutput("{\"a\":1}")).isEqualTo("{\"a\":1}");
  }

  @Test
  void nothingIsHiddenAtFirst() {
    assertThat(redactor.isActive()).isFalse();
    redactor.hide("");
    assertThat(redactor.isActive()).isFalse();
    assertThat(redactor.redact("a text")).isEqualTo("a text");
  }
}
