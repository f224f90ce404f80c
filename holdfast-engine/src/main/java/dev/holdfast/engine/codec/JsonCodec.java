package dev.holdfast.engine.codec;

import dev.holdfast.api.codec.CodecException;
import dev.holdfast.api.codec.PayloadCodec;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

/**
 * JSON by Jackson. Fields that a payload type does not know are ignored, so that types can grow.
 */
public final class JsonCodec implements PayloadCodec {
  private final JsonMapper mapper;

  /** A reader for each type, made once; a class value does not keep classes from being unloaded. */
  private final ClassValue<ObjectReader> readers =
      new ClassValue<>() {
        @Override
        protected ObjectReader computeValue(Class<?> type) {
          return mapper.readerFor(type);
        }
      };

  public JsonCodec() {
    this(
        JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .build());
  }

  /** With a mapper of one's own. */
  public JsonCodec(JsonMapper mapper) {
    this.mapper = mapper;
  }

  @Override
  public String encode(Object value) {
    try {
      return mapper.writeValueAsString(value);
    } catch (JacksonException failure) {
      throw new CodecException(
          "A %s cannot be written as JSON: %s"
              .formatted(value.getClass().getSimpleName(), failure.getOriginalMessage()),
          failure);
    }
  }

  @Override
  public <T> @Nullable T decode(String text, Class<T> type) {
    try {
      return readers.get(type).readValue(text);
    } catch (JacksonException failure) {
      throw new CodecException(
          "The text cannot be read as %s: %s"
              .formatted(type.getSimpleName(), failure.getOriginalMessage()),
          failure);
    }
  }
}
