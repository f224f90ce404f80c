package dev.holdfast.postgres.db;

import dev.holdfast.api.internal.Times;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Converts values for and from the database. */
public final class SqlValues {
  private SqlValues() {}

  /** Returns a duration in microseconds. */
  public static long micros(Duration duration) {
    Duration bounded = Times.bounded(duration);
    return Math.addExact(
        Math.multiplyExact(bounded.getSeconds(), 1_000_000), bounded.getNano() / 1_000);
  }

  public static @Nullable Long microsOrNull(@Nullable Duration duration) {
    return duration == null ? null : micros(duration);
  }

  public static Duration ofMicros(long micros) {
    return Duration.ofSeconds(
        Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1_000L);
  }

  /**
   * Returns a column of values as an array for {@code unnest}. A column of nulls becomes an empty
   * array, which {@code unnest} fills up with nulls.
   */
  public static <T> Array array(
      Connection connection, String type, List<T> rows, Function<T, @Nullable Object> value)
      throws SQLException {
    return array(connection, type, new Object[rows.size()], rows, value);
  }

  /** Returns a column of texts as an array. The driver writes these faster than objects. */
  public static <T> Array texts(
      Connection connection, List<T> rows, Function<T, @Nullable String> value)
      throws SQLException {
    return array(connection, "text", new String[rows.size()], rows, value);
  }

  private static <T, V> Array array(
      Connection connection,
      String type,
      @Nullable V[] values,
      List<T> rows,
      Function<T, ? extends @Nullable V> value)
      throws SQLException {
    boolean any = false;
    for (int i = 0; i < values.length; i++) {
      values[i] = value.apply(rows.get(i));
      any |= values[i] != null;
    }
    return connection.createArrayOf(type, any ? values : new Object[0]);
  }

  /**
   * Returns tags as the text of an array, because arrays of arrays must be rectangular. Returns
   * null for no tags, so that jobs without tags are not in the index of tags.
   */
  public static @Nullable String arrayText(Collection<String> values) {
    if (values.isEmpty()) {
      return null;
    }
    StringBuilder text = new StringBuilder("{");
    for (String value : values) {
      text.append(text.length() > 1 ? "," : "")
          .append('"')
          .append(value.replace("\\", "\\\\").replace("\"", "\\\""))
          .append('"');
    }
    return text.append('}').toString();
  }

  /** Returns an array as a set. External writers may have stored duplicates or nulls. */
  public static Set<String> strings(ResultSet row, int column) throws SQLException {
    Array array = row.getArray(column);
    if (array == null) {
      return Set.of();
    }
    Set<String> values = new LinkedHashSet<>(); // In the order of the array.
    for (Object value : (Object[]) array.getArray()) {
      if (value != null) {
        values.add(value.toString());
      }
    }
    return Collections.unmodifiableSet(values);
  }

  public static Instant instant(ResultSet row, int column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }

  public static @Nullable Instant instantOrNull(ResultSet row, int column) throws SQLException {
    OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
    return time == null ? null : time.toInstant();
  }
}
