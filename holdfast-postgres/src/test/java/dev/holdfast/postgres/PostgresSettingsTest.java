package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PostgresSettingsTest {
  private static final String URL = "jdbc:postgresql://localhost/app";

  @Test
  void whatIsNotSaidHasADefault() {
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
  void aUrlOfSomethingElseIsRefused() {
    assertThatThrownBy(() -> PostgresSettings.of("jdbc:mysql://localhost/app?password=hush"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("jdbc:postgresql://localhost:5432/app")
        .hasMessageNotContaining("hush");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a-name-of-27-characters-abc", "büro", "line\nbreak"})
  void aNameThatTheDatabaseWouldCutOrRewriteIsRefused(String name) {
    assertThatThrownBy(() -> PostgresSettings.builder(URL).name(name).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + name + "'")
        .hasMessageContaining("1 to 26 characters");
  }

  @Test
  void aNameMayBeAsLongAsTheDatabaseShowsItWithAnId() {
    assertThat(PostgresSettings.builder(URL).name("a-name-of-26-characters-ab").build().name())
        .hasSize(26);
  }

  @Test
  void numbersThatCannotWorkAreRefused() {
    assertThatThrownBy(() -> PostgresSettings.builder(URL).poolSize(1).build())
        .hasMessageContaining("at least 2");
    assertThatThrownBy(
            () -> PostgresSettings.builder(URL).statementTimeout(Duration.ofMillis(5)).build())
        .hasMessageContaining("at least a second");
    assertThatThrownBy(
            () -> PostgresSettings.builder(URL).statementTimeout(Duration.ofDays(2)).build())
        .hasMessageContaining("at most a day");
    assertThatThrownBy(() -> PostgresSettings.builder(URL).aging(Duration.ofDays(-1)).build())
        .hasMessageContaining("aging");
  }
}
