package dev.holdfast.engine.codec;

import dev.holdfast.api.codec.CodecException;
import dev.holdfast.api.codec.PayloadCodec;
import org.jspecify.annotations.Nullable;

/** Encodes payloads, and rejects what could not be stored or read before anything is written. */
public final class Encoding {
  private Encoding() {}

  /**
   * Encodes a payload as text.
   *
   * @param owner what it belongs to, such as "task 'email::send'"
   * @param limit the maximum number of bytes
   * @throws IllegalArgumentException if it is null or too large
   * @throws CodecException if it cannot be encoded, or its text cannot be stored
   */
  public static String payload(
      PayloadCodec codec, @Nullable Object payload, String owner, int limit) {
    if (payload == null) {
      throw new IllegalArgumentException(
          "The payload of %s is null: use a value. For a task without data, use an empty record or an empty map."
              .formatted(owner));
    }
    return text(codec.encode(payload), owner, limit);
  }

  /**
   * Returns the same text, if it is not too large and a database stores it unchanged.
   *
   * @param owner what it belongs to, such as "task 'email::send'"
   * @param limit the maximum number of bytes
   * @throws IllegalArgumentException if it is too large
   * @throws CodecException if it cannot be stored
   */
  public static String text(String encoded, String owner, int limit) {
    String text = storable(encoded);
    if (Utf8Length.exceeds(text, limit)) {
      throw new IllegalArgumentException(
          "The payload of %s has %d bytes, but at most %d are allowed: pass a reference to it instead, or raise the limit."
              .formatted(owner, Utf8Length.bytes(text), limit));
    }
    return text;
  }

  /**
   * Returns the same text, if a database stores it unchanged.
   *
   * @throws CodecException if it contains NUL or half of a surrogate pair: the database rejects the
   *     former, and replaces the latter with another character
   */
  public static String storable(String text) {
    for (int i = 0; i < text.length(); i++) {
      char character = text.charAt(i);
      if (character == 0 || isHalf(text, i, character)) {
        throw new CodecException(
            "The codec wrote a text with %s at position %d, which cannot be stored: escape it, as JSON does, or remove it."
                .formatted(character == 0 ? "NUL" : "half of a surrogate pair", i),
            null);
      }
      if (Character.isHighSurrogate(character)) {
        i++;
      }
    }
    return text;
  }

  private static boolean isHalf(String text, int at, char character) {
    return Character.isSurrogate(character)
        && !(Character.isHighSurrogate(character)
            && at + 1 < text.length()
            && Character.isLowSurrogate(text.charAt(at + 1)));
  }
}
