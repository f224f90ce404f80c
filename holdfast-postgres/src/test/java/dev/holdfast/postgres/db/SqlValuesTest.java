package dev.holdfast.postgres.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.postgres.PostgresFixture;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class SqlValuesTest {
  private static PostgresFixture fixture;

  @BeforeAll
  static void open() {
    fixture = new PostgresFixture();
  }

  @AfterAll
  static void close() {
    fixture.close();
  }

  /** Returns what the database reads from an array, each element as text. */
  private static List<String> read(String type, List<?> values) throws SQLException {
    try (Connection connection = fixture.database().connect();
        PreparedStatement statement =
            connection.prepareStatement("select u::text from unnest(?::%s[]) u".formatted(type))) {
      Array array = SqlValues.array(connection, type, values);
      statement.setArray(1, array);
      List<String> texts = new ArrayList<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          texts.add(row.getString(1));
        }
      }
      return texts;
    }
  }

  @Test
  void idsArriveAsTheyWereSent() throws Exception {
    List<UUID> ids = List.of(UUID.randomUUID(), new UUID(0, 0), new UUID(-1, -1));
    assertThat(read("uuid", ids))
        .containsExactlyElementsOf(ids.stream().map(UUID::toString).toList());
  }

  @Test
  void anArrayMayContainNulls() throws Exception {
    UUID id = UUID.randomUUID();
    assertThat(read("uuid", Arrays.asList(null, id, null)))
        .containsExactly(null, id.toString(), null);
    assertThat(read("int8", Arrays.asList(1L, null, Long.MIN_VALUE)))
        .containsExactly("1", null, "-9223372036854775808");
    assertThat(read("int4", Arrays.asList(null, 7))).containsExactly(null, "7");
    assertThat(read("bool", Arrays.asList(true, null, false)))
        .containsExactly("true", null, "false");
    assertThat(read("text", Arrays.asList("a\"b,{}\\", null, "", "é€😀")))
        .containsExactly("a\"b,{}\\", null, "", "é€😀");
  }

  @Test
  void anArrayMayBeEmpty() throws Exception {
    for (String type : List.of("uuid", "int8", "int4", "bool", "text", "timestamptz")) {
      assertThat(read(type, List.of())).as(type).isEmpty();
    }
  }

  @Test
  void aColumnOfNullsIsAnEmptyArray() throws Exception {
    try (Connection connection = fixture.database().connect()) {
      Array array = SqlValues.texts(connection, List.of(1, 2), row -> null);
      assertThat((Object[]) array.getArray()).isEmpty();
    }
  }
}
