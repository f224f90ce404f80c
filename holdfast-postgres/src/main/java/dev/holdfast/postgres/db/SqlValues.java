package dev.holdfast.postgres.db;

import dev.holdfast.api.internal.Times;
import java.nio.ByteBuffer;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.Oid;
import org.postgresql.jdbc.PgArray;

/** Converts values for and from the database. */
public final class SqlValues {
  private static final int HEADER = 5 * Integer.BYTES;
  private static final int UUID_BYTES = 2 * Long.BYTES;

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
      Connection connection,
      String type,
      List<T> rows,
      Function<T, ? extends @Nullable Object> value)
      throws SQLException {
    List<@Nullable Object> values = new ArrayList<>(rows.size());
    boolean any = false;
    for (T row : rows) {
      Object each = value.apply(row);
      any |= each != null;
      values.add(each);
    }
    return array(connection, type, any ? values : List.of());
  }

  /**
   * Returns an array. The driver sends an array in binary form if its class fits its type, and
   * otherwise writes each element as quoted text. It has no binary form of ids.
   */
  static Array array(
      Connection connection, String type, Collection<? extends @Nullable Object> values)
      throws SQLException {
    @Nullable Object[] elements =
        switch (type) {
          case "uuid" -> values.toArray(UUID[]::new);
          case "int8" -> values.toArray(Long[]::new);
          case "int4" -> values.toArray(Integer[]::new);
          case "bool" -> values.toArray(Boolean[]::new);
          case "text" -> values.toArray(String[]::new);
          default -> values.toArray();
        };
    return elements instanceof UUID[] ids && connection.isWrapperFor(BaseConnection.class)
        ? uuids(connection.unwrap(BaseConnection.class), ids)
        : connection.createArrayOf(type, elements);
  }

  /** Returns a column of texts as an array. */
  public static <T> Array texts(
      Connection connection, List<T> rows, Function<T, @Nullable String> value)
      throws SQLException {
    return array(connection, "text", rows, value);
  }

  /** Returns ids in the binary form of arrays: a header, then the length and bytes of each. */
  private static Array uuids(BaseConnection connection, @Nullable UUID[] ids) throws SQLException {
    ByteBuffer bytes = ByteBuffer.allocate(HEADER + ids.length * (Integer.BYTES + UUID_BYTES));
    boolean nulls = Arrays.stream(ids).anyMatch(Objects::isNull);
    bytes.putInt(1).putInt(nulls ? 1 : 0).putInt(Oid.UUID).putInt(ids.length).putInt(1);
    for (UUID id : ids) {
      if (id == null) {
        bytes.putInt(-1);
      } else {
        bytes
            .putInt(UUID_BYTES)
            .putLong(id.getMostSignificantBits())
            .putLong(id.getLeastSignificantBits());
      }
    }
    return new PgArray(connection, Oid.UUID_ARRAY, Arrays.copyOf(bytes.array(), bytes.position()));
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
