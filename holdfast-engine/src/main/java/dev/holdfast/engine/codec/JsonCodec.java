package dev.holdfast.engine.codec;

import dev.holdfast.api.codec.CodecException;
import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.type.TypeRef;
import java.lang.reflect.Type;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

/**
 * JSON by Jackson. Fields that a payload type does not have are ignored, so that types can evolve.
 */
public final class JsonCodec implements PayloadCodec {
  /** Matches half of a surrogate pair; a whole pair is a character of another category. */
  private static final Pattern HALF = Pattern.compile("\\p{Cs}");

  private final JsonMapper mapper;

  /**
   * A reader for each type, created once; a class value does not keep classes from being unloaded.
   */
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

  /** Creates a codec with a custom mapper. */
  public JsonCodec(JsonMapper mapper) {
    this.mapper = mapper;
  }

  @Override
  public String encode(Object value) {
    try {
      return whole(mapper.writeValueAsString(value));
    } catch (JacksonException failure) {
      throw new CodecException(
          "A %s cannot be written as JSON: %s"
              .formatted(value.getClass().getSimpleName(), failure.getOriginalMessage()),
          failure);
    }
  }

  /**
   * Escapes halves of surrogate pairs, which are left when a text was cut. They cannot be encoded
   * in UTF-8, and a database would store another character.
   */
  private static String whole(String json) {
    for (int i = 0; i < json.length(); i++) {
      if (Character.isSurrogate(json.charAt(i))) {
        return HALF.matcher(json)
            .replaceAll(half -> "\\\\u%04x".formatted((int) half.group().charAt(0)));
      }
    }
    return json;
  }

  @Override
  public <T> @Nullable T decode(String text, TypeRef<T> type) {
    try {
      return reader(type.type()).readValue(text);
    } catch (JacksonException failure) {
      throw new CodecException(
          "The text cannot be read as %s: %s"
              .formatted(type.simpleName(), failure.getOriginalMessage()),
          failure);
    }
  }

  private ObjectReader reader(Type type) {
    return type instanceof Class<?> plain
        ? readers.get(plain)
        : mapper.readerFor(mapper.constructType(type));
  }
}
