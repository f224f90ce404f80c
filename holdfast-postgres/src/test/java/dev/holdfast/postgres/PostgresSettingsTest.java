package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.Driver;

class PostgresSettingsTest {
  private static final String URL = "jdbc:postgresql://localhost/app";

  @Test
  void everySettingHasADefault() {
    PostgresSettings settings = PostgresSettings.of(URL);

    assertThat(settings.schema()).isEqualTo("holdfast");
    assertThat(settings.statementTimeout()).isEqualTo(Duration.ofSeconds(30));
    assertThat(settings.aging()).isEqualTo(Duration.ofMinutes(15));
  }

  @Test
  void secretsAreNotShown() {
    PostgresSettings settings =
        PostgresSettings.builder(URL + "?password=hush").user("ada").password("secret").build();

    assertThat(settings.toString()).contains("ada").doesNotContain("secret").doesNotContain("hush");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "1st",
        "Upper",
        "a-b",
        "a;b",
        "a\"b",
        "x23456789012345678901234567890123456789012"
      })
  void aSchemaMustBeAPlainName(String schema) {
    assertThatThrownBy(() -> PostgresSettings.builder(URL).schema(schema).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("such as holdfast");
  }

  @Test
  void aUrlOfAnotherDriverIsRejected() {
    assertThatThrownBy(() -> PostgresSettings.of("jdbc:mysql://localhost/app?password=hush"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("jdbc:postgresql://localhost:5432/app")
        .hasMessageNotContaining("hush");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://ada:hush@localhost/app",
        "jdbc:postgresql://ada:hu?sh@localhost/app",
        "jdbc:postgresql://ada:hu/sh@localhost/app",
        "jdbc:postgresql:ada:hush@localhost",
        "jdbc:postgresql://localhost:hush/app",
        "jdbc:postgresql://localhost?password=hush",
        "jdbc:postgresql://localhost/app/more?password=hush",
        "jdbc:postgresql://localhost/app?password=hush%",
        "jdbc:postgresql:/app?password=hush",
        "jdbc:sqlserver://localhost;user=ada;password=hush",
        "postgres://ada:hush@localhost/app"
      })
  void aUrlThatCannotBeParsedIsRejectedWithoutShowingItsPassword(String url) {
    List<LogRecord> logged = new CopyOnWriteArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            logged.add(record);
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger driver = Logger.getLogger("org.postgresql");
    driver.addHandler(handler);
    try {
      assertThatThrownBy(() -> PostgresStore.connect(PostgresSettings.of(url)).close())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("jdbc:postgresql://localhost:5432/app")
          .hasMessageNotContaining("hu")
          .hasNoCause();
    } finally {
      driver.removeHandler(handler);
    }
    assertThat(logged).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql:app",
        "jdbc:postgresql:",
        "jdbc:postgresql://",
        "jdbc:postgresql:///",
        "jdbc:postgresql://localhost/",
        "jdbc:postgresql://localhost:5432/app?user=ada&password=hu%25sh@",
        "jdbc:postgresql://one:5432,two:5433/my%20app?targetServerType=primary",
        "jdbc:postgresql://[::1]:5432/app"
      })
  void everyUrlThatTheDriverCanParseIsAccepted(String url) {
    assertThat(PostgresSettings.of(url).place()).doesNotContain("hu");
    assertThat(Driver.parseURL(url, new Properties())).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"pg_foo", "pg_catalog", "user", "order", "left", "table"})
  void aReservedSchemaNameIsRejected(String schema) {
    assertThatThrownBy(() -> PostgresSettings.builder(URL).schema(schema).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + schema + "'")
        .hasMessageContaining("Use another name");
  }

  @Test
  void reservedWordsMatchThoseOfTheServer() throws SQLException {
    try (TestDatabase database = SharedServer.freshDatabase();
        Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet words =
            statement.executeQuery(
                "select word from pg_get_keywords() where catcode in ('R', 'T')")) {
      Set<String> reserved = new TreeSet<>();
      while (words.next()) {
        reserved.add(words.getString(1));
      }
      assertThat(PostgresSettings.RESERVED).containsAll(reserved);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a-name-of-27-characters-abc", "büro", "line\nbreak"})
  void aNameThatTheDatabaseWouldTruncateOrChangeIsRejected(String name) {
    assertThatThrownBy(() -> PostgresSettings.builder(URL).name(name).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + name + "'")
        .hasMessageContaining("1 to 26 ASCII characters");
  }

  @Test
  void aNameMayBeAsLongAsFitsWithAnIdIntoAnApplicationName() {
    assertThat(PostgresSettings.builder(URL).name("a-name-of-26-characters-ab").build().name())
        .hasSize(26);
  }

  @Test
  void invalidNumbersAreRejected() {
    assertThatThrownBy(() -> PostgresSettings.builder(URL).poolSize(1).build())
        .hasMessageContaining("at least 2");
    assertThatThrownBy(
            () -> PostgresSettings.builder(URL).statementTimeout(Duration.ofMillis(5)).build())
        .hasMessageContaining("1 s to 1 day");
    assertThatThrownBy(
            () -> PostgresSettings.builder(URL).statementTimeout(Duration.ofDays(2)).build())
        .hasMessageContaining("1 s to 1 day");
    assertThatThrownBy(() -> PostgresSettings.builder(URL).aging(Duration.ofDays(-1)).build())
        .hasMessageContaining("aging");
  }
}
