package dev.holdfast.api.trigger;

import dev.holdfast.api.internal.Names;
import dev.holdfast.api.internal.TriggerNames;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Something that must be true of an event's payload, as data: it is stored with its trigger and
 * looked at wherever the event is published.
 *
 * <pre>{@code
 * field("kind").is("page")
 * field("author.role").isOneOf("editor", "admin")
 * field("size").isGreaterThan(1_000)
 * }</pre>
 *
 * <p>A field is named by its path in the JSON of the payload. Values are texts, numbers and
 * booleans; numbers are compared by value, so that 1 is 1.0.
 */
public sealed interface Condition {

  /** The path of the field it looks at. */
  String field();

  /** The field is there and has this value. */
  record Is(String field, Object value) implements Condition {
    public Is {
      TriggerNames.field(field);
      value = scalar(field, value);
    }
  }

  /** The field has another value, or is missing. */
  record IsNot(String field, Object value) implements Condition {
    public IsNot {
      TriggerNames.field(field);
      value = scalar(field, value);
    }
  }

  /** The field is there and has one of these values. */
  record IsOneOf(String field, List<Object> values) implements Condition {
    public IsOneOf {
      String path = TriggerNames.field(field);
      if (values.isEmpty()) {
        throw new IllegalArgumentException(
            "Field '%s' can never be one of no values: give at least one.".formatted(path));
      }
      values = values.stream().map(value -> scalar(path, value)).toList();
    }
  }

  /** The field is there and not null. */
  record Exists(String field) implements Condition {
    public Exists {
      TriggerNames.field(field);
    }
  }

  /** The field is missing or null. */
  record IsMissing(String field) implements Condition {
    public IsMissing {
      TriggerNames.field(field);
    }
  }

  /** The field is a number greater than this. */
  record IsGreaterThan(String field, BigDecimal bound) implements Condition {
    public IsGreaterThan {
      TriggerNames.field(field);
      bound = bound.stripTrailingZeros();
    }
  }

  /** The field is a number less than this. */
  record IsLessThan(String field, BigDecimal bound) implements Condition {
    public IsLessThan {
      TriggerNames.field(field);
      bound = bound.stripTrailingZeros();
    }
  }

  /** Begin a condition on a field of the payload. */
  static OnField field(String path) {
    return new OnField(TriggerNames.field(path));
  }

  /** A field about which something is to be said. */
  record OnField(String path) {
    public Condition is(Object value) {
      return new Is(path, value);
    }

    public Condition isNot(Object value) {
      return new IsNot(path, value);
    }

    public Condition isOneOf(Object... values) {
      return new IsOneOf(path, Arrays.asList(values));
    }

    public Condition exists() {
      return new Exists(path);
    }

    public Condition isMissing() {
      return new IsMissing(path);
    }

    public Condition isGreaterThan(Number bound) {
      return new IsGreaterThan(path, number(path, bound));
    }

    public Condition isLessThan(Number bound) {
      return new IsLessThan(path, number(path, bound));
    }
  }

  private static Object scalar(String field, @Nullable Object value) {
    return switch (value) {
      case null -> throw comparedWithNull(field);
      case String text ->
          Names.storable("The text to compare field '%s' with,".formatted(field), text);
      case Boolean truth -> truth;
      case Number number -> number(field, number);
      default ->
          throw new IllegalArgumentException(
              "Field '%s' cannot be compared with %s of type %s: give a text, a number or a boolean."
                  .formatted(field, value, value.getClass().getSimpleName()));
    };
  }

  private static BigDecimal number(String field, @Nullable Number value) {
    if (value == null) {
      throw comparedWithNull(field);
    }
    try {
      return new BigDecimal(value.toString()).stripTrailingZeros();
    } catch (NumberFormatException notANumber) {
      throw new IllegalArgumentException(
          "Field '%s' cannot be compared with %s: give a finite number.".formatted(field, value),
          notANumber);
    }
  }

  private static IllegalArgumentException comparedWithNull(String field) {
    return new IllegalArgumentException(
        "Field '%s' cannot be compared with null: say field(\"%s\").isMissing(), or exists() for the contrary."
            .formatted(field, field));
  }
}
