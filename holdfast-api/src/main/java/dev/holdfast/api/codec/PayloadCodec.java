package dev.holdfast.api.codec;

import org.jspecify.annotations.Nullable;

/**
 * Turn payloads and results into text for the database and back.
 *
 * <p>The text should be JSON, so that people can read it where it lies. It must not name classes:
 * the type to read is always handed in by the task that reads. Nor may it contain NUL, which no
 * database takes, or half of a surrogate pair, which would come back as another character.
 */
public interface PayloadCodec {

  /**
   * Write a value as text.
   *
   * @throws CodecException if the value cannot be written
   */
  String encode(Object value);

  /**
   * Read a value of the given type.
   *
   * @return the value, or null where the text says null
   * @throws CodecException if the text is not a value of that type
   */
  <T> @Nullable T decode(String text, Class<T> type);
}
