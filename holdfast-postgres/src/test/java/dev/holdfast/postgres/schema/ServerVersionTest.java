package dev.holdfast.postgres.schema;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.StoreException;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SocketValidatedDataSource;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class ServerVersionTest {
  private static final Database NOWHERE =
      Database.own(
          new SocketValidatedDataSource("jdbc:postgresql://nowhere/app", new Properties()),
          "holdfast");

  private final Migrations migrations = new Migrations(NOWHERE, "jdbc:postgresql://nowhere/app");

  @Test
  void aServerOlderThanFourteenIsRejectedInOneSentence() {
    assertThatThrownBy(() -> migrations.requireServer(13_0022))
        .isInstanceOf(StoreException.class)
        .hasMessage(
            "The database at jdbc:postgresql://nowhere/app is PostgreSQL 13, and Holdfast needs 14"
                + " or newer: upgrade it. Nothing was written.");
  }

  @Test
  void fourteenAndNewerAreAccepted() {
    assertThatCode(
            () -> {
              migrations.requireServer(14_0000);
              migrations.requireServer(18_0006);
            })
        .doesNotThrowAnyException();
  }
}
