package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Settings of the store's own connections, regardless of the defaults of the server. */
class OwnConnectionsTest {
  private PostgresFixture fixture;

  @BeforeEach
  void aDatabaseWithUnusualDefaults() {
    fixture = new PostgresFixture();
    for (String setting : List.of("default_transaction_isolation = 'serializable'", "jit = on")) {
      fixture.execute("alter database \"%s\" set %s".formatted(fixture.database().name(), setting));
    }
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void aStatementSeesWhatWasCommittedBeforeIt() throws SQLException {
    assertThat(shown("transaction_isolation")).isEqualTo("read committed");
  }

  @Test
  void jitCompilationIsDisabled() throws SQLException {
    assertThat(shown("jit")).isEqualTo("off");
  }

  private String shown(String setting) throws SQLException {
    try (Connection connection =
            new Connections(fixture.settings().build(), "own").single().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("show " + setting)) {
      row.next();
      return row.getString(1);
    }
  }
}
