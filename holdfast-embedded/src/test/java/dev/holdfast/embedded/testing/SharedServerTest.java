package dev.holdfast.embedded.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class SharedServerTest {

  @Test
  void everyTestGetsASeparateDatabase() throws SQLException {
    try (TestDatabase one = SharedServer.freshDatabase();
        TestDatabase other = SharedServer.freshDatabase();
        Connection inOne = one.connect();
        Connection inOther = other.connect()) {
      inOne.createStatement().execute("CREATE TABLE mine ()");
      inOther.createStatement().execute("CREATE TABLE mine ()");

      assertThat(one.name()).isNotEqualTo(other.name());
      assertThat(inOne.getCatalog()).isEqualTo(one.name());
    }
  }

  @Test
  void testsMayRequestDatabasesConcurrently() {
    assertThat(
            IntStream.range(0, 8)
                .parallel()
                .mapToObj(ignored -> SharedServer.freshDatabase().name())
                .distinct())
        .hasSize(8);
  }

  @Test
  void aCopyHasTheContentsOfTheOriginalAndIsIndependent() throws SQLException {
    try (TestDatabase original = SharedServer.freshDatabase();
        Connection open = original.connect()) {
      open.createStatement().execute("CREATE TABLE mine ()");

      try (TestDatabase one = SharedServer.copyOf(original);
          TestDatabase other = SharedServer.copyOf(original);
          Connection inOne = one.connect();
          Connection inOther = other.connect()) {
        inOne.createStatement().execute("DROP TABLE mine");
        inOther.createStatement().execute("DROP TABLE mine");
      }
      assertThat(open.isValid(5)).isFalse();
    }
  }

  @Test
  void aClosedDatabaseIsDropped() throws SQLException {
    TestDatabase gone = SharedServer.freshDatabase();
    try (Connection open = gone.connect()) {
      gone.close();

      assertThat(open.isValid(5)).isFalse();
    }
    assertThatThrownBy(() -> gone.connect().close()).isInstanceOf(SQLException.class);
  }
}
