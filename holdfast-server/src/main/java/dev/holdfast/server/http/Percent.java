package dev.holdfast.server.http;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Decodes percent-encoded texts strictly: what is not UTF-8 is refused, not replaced. */
final class Percent {
  private Percent() {}

  /**
   * Decodes a text once.
   *
   * @throws ProblemException if it is not valid, or contains NUL
   */
  static String decode(String text) {
    byte[] bytes = new byte[text.length() * 3];
    int length = 0;
    for (int i = 0; i < text.length(); i++) {
      char character = text.charAt(i);
      if (character == '%') {
        bytes[length++] = (byte) octet(text, i);
        i += 2;
      } else if (character < 0x80) {
        bytes[length++] = (byte) character;
      } else {
        throw malformed();
      }
    }
    try {
      String decoded =
          StandardCharsets.UTF_8
              .newDecoder()
              .onMalformedInput(CodingErrorAction.REPORT)
              .decode(ByteBuffer.wrap(bytes, 0, length))
              .toString();
      if (decoded.indexOf('\0') >= 0) {
        throw malformed();
      }
      return decoded;
    } catch (CharacterCodingException notUtf8) {
      throw malformed();
    }
  }

  private static int octet(String text, int at) {
    if (at + 2 >= text.length()) {
      throw malformed();
    }
    int high = Character.digit(text.charAt(at + 1), 16);
    int low = Character.digit(text.charAt(at + 2), 16);
    if (high < 0 || low < 0) {
      throw malformed();
    }
    return high * 16 + low;
  }

  private static ProblemException malformed() {
    return Code.MALFORMED_REQUEST.because(
        "The path or query is not valid: encode it as UTF-8 with percent signs, without NUL.");
  }
}
