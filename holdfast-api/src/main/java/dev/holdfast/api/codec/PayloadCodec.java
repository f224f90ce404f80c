package dev.holdfast.api.codec;

import dev.holdfast.api.type.TypeRef;
import org.jspecify.annotations.Nullable;

/**
 * Encodes payloads and results as text for the database, and decodes them.
 *
 * <p>The text should be JSON, so that it is readable in the database; payloads of events must be.
 * It must not contain class names: the type to decode to is always given by the task. It must not
 * contain NUL, which PostgreSQL does not store, or half of a surrogate pair, which would be read
 * back as another character.
 */
public interface PayloadCodec {

  /**
   * Encodes a value.
   *
   * @throws CodecException if the value cannot be encoded
   */
  String encode(Object value);

  /**
   * Decodes a value.
   *
   * @param type the type of the value
   * @return the value; null if the text is an encoded null
   * @throws CodecException if the text is not a value of that type
   */
  <T> @Nullable T decode(String text, TypeRef<T> type);

  /**
   * Decodes a value whose type is not generic.
   *
   * @see #decode(String, TypeRef)
   */
  default <T> @Nullable T decode(String text, Class<T> type) {
    return decode(text, TypeRef.of(type));
  }
}
