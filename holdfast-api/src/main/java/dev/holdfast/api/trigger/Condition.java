package dev.holdfast.api.trigger;

import dev.holdfast.api.internal.Names;
import dev.holdfast.api.internal.TriggerNames;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A condition on the payload of an event. It is data: it is stored with its trigger, and evaluated
 * by the process that publishes the event.
 *
 * <pre>{@code
 * Condition page = Condition.field("kind").is("page");
 * Condition internal = Condition.field("author.role").isOneOf("editor", "admin");
 * Condition large = Condition.field("size").isGreaterThan(1_000);
 * }</pre>
 *
 * <p>A field is given by its path in the JSON of the payload. Values are strings, numbers and
 * booleans. Numbers are compared by value: 1 equals 1.0.
 */
public sealed interface Condition {

  /** Returns the path of the field. */
  String field();

  /**
   * The field exists and has a value.
   *
   * @param field the path of the field
   * @param value a string, number or boolean
   */
  record Is(String field, Object value) implements Condition {
    /** Checks the path and the value. */
    public Is {
      TriggerNames.field(field);
      value = scalar(field, value);
    }
  }

  /**
   * The field has another value, or does not exist.
   *
   * @param field the path of the field
   * @param value a string, number or boolean
   */
  record IsNot(String field, Object value) implements Condition {
    /** Checks the path and the value. */
    public IsNot {
      TriggerNames.field(field);
      value = scalar(field, value);
    }
  }

  /**
   * The field exists and has one of several values.
   *
   * @param field the path of the field
   * @param values strings, numbers or booleans, at least one
   */
  record IsOneOf(String field, List<Object> values) implements Condition {
    /** Checks the path and the values. */
    public IsOneOf {
      String path = TriggerNames.field(field);
      if (values.isEmpty()) {
        throw new IllegalArgumentException(
            "The condition on field '%s' lists no values: give at least one.".formatted(path));
      }
      values = values.stream().map(value -> scalar(path, value)).toList();
    }
  }

  /**
   * The field exists and is not null.
   *
   * @param field the path of the field
   */
  record Exists(String field) implements Condition {
    /** Checks the path. */
    public Exists {
      TriggerNames.field(field);
    }
  }

  /**
   * The field does not exist, or is null.
   *
   * @param field the path of the field
   */
  record IsMissing(String field) implements Condition {
    /** Checks the path. */
    public IsMissing {
      TriggerNames.field(field);
    }
  }

  /**
   * The field is a number greater than a bound.
   *
   * @param field the path of the field
   * @param bound the bound
   */
  record IsGreaterThan(String field, BigDecimal bound) implements Condition {
    /** Checks the path. */
    public IsGreaterThan {
      TriggerNames.field(field);
      bound = bound.stripTrailingZeros();
    }
  }

  /**
   * The field is a number less than a bound.
   *
   * @param field the path of the field
   * @param bound the bound
   */
  record IsLessThan(String field, BigDecimal bound) implements Condition {
    /** Checks the path. */
    public IsLessThan {
      TriggerNames.field(field);
      bound = bound.stripTrailingZeros();
    }
  }

  /**
   * Starts a condition on a field of the payload.
   *
   * @param path the name of the field, or a path such as {@code author.role}
   */
  static OnField field(String path) {
    return new OnField(TriggerNames.field(path));
  }

  /**
   * A field of the payload, to build a condition with.
   *
   * @param path the path of the field
   */
  record OnField(String path) {
    /** Returns a condition that the field exists and has this value. */
    public Condition is(Object value) {
      return new Is(path, value);
    }

    /** Returns a condition that the field has another value, or does not exist. */
    public Condition isNot(Object value) {
      return new IsNot(path, value);
    }

    /** Returns a condition that the field exists and has one of these values. */
    public Condition isOneOf(Object... values) {
      return new IsOneOf(path, Arrays.asList(values));
    }

    /** Returns a condition that the field exists and is not null. */
    public Condition exists() {
      return new Exists(path);
    }

    /** Returns a condition that the field does not exist, or is null. */
    public Condition isMissing() {
      return new IsMissing(path);
    }

    /** Returns a condition that the field is a number greater than this one. */
    public Condition isGreaterThan(Number bound) {
      return new IsGreaterThan(path, number(path, bound));
    }

    /** Returns a condition that the field is a number less than this one. */
    public Condition isLessThan(Number bound) {
      return new IsLessThan(path, number(path, bound));
    }
  }

  private static Object scalar(String field, @Nullable Object value) {
    return switch (value) {
      case null -> throw comparedWithNull(field);
      case String text ->
          Names.storable("The value to compare field '%s' with,".formatted(field), text);
      case Boolean truth -> truth;
      case Number number -> number(field, number);
      default ->
          throw new IllegalArgumentException(
              "Field '%s' cannot be compared with %s of type %s: give a string, a number or a boolean."
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
        "Field '%s' cannot be compared with null: use field(\"%s\").isMissing(), or exists() for the opposite."
            .formatted(field, field));
  }
}
