package dev.holdfast.server.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.StoreException;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ControlDatabaseTest {
  private static final String SCHEMA = "own_control";

  private static DatabaseAddress address(TestDatabase database) {
    return new DatabaseAddress(database.jdbcUrl(), database.user(), database.password());
  }

  @Test
  void theNewestVersionIsThatOfTheNewestFile() throws Exception {
    Path first =
        Path.of(
            Objects.requireNonNull(ControlDatabase.class.getResource("V1__control.sql")).toURI());
    try (Stream<Path> files = Files.list(Objects.requireNonNull(first.getParent()))) {
      assertThat(
              files
                  .map(file -> String.valueOf(file.getFileName()))
                  .filter(name -> name.matches("V\\d+__.*\\.sql"))
                  .mapToInt(name -> Integer.parseInt(name.substring(1, name.indexOf('_'))))
                  .max())
          .hasValue(ControlDatabase.NEWEST);
    }
  }

  @Test
  void anOlderSchemaIsMigratedAndACurrentOneIsLeftAlone() throws Exception {
    try (TestDatabase database = SharedServer.freshDatabase()) {
      ControlDatabase.connect(address(database), SCHEMA).close();
      try (Connection connection = database.connect();
          Statement statement = connection.createStatement()) {
        statement.execute(
            "delete from %s.schema_version where version = '%d'"
                .formatted(SCHEMA, ControlDatabase.NEWEST));
        // The newest migration creates a table that exists: that it fails shows that it was tried.
        assertThatThrownBy(() -> ControlDatabase.connect(address(database), SCHEMA))
            .isInstanceOf(StoreException.class)
            .hasMessageContaining("migrate schema " + SCHEMA);
        statement.execute("drop table %s.task_secret".formatted(SCHEMA));
        statement.execute(
            "drop table %1$s.package_part, %1$s.package; delete from %1$s.version where name = 'package'"
                .formatted(SCHEMA));
      }
      ControlDatabase.connect(address(database), SCHEMA).close();
      try (ControlDatabase current = ControlDatabase.connect(address(database), SCHEMA)) {
        assertThat(
                current.<Long>run(
                    "count",
                    statements ->
                        statements
                            .query("select count(modules) from ${schema}.tenant")
                            .mapTo(Long.class)
                            .one()))
            .isZero();
      }
    }
  }

  @Test
  void aSchemaOfANewerVersionIsRefusedAndNotChanged() throws Exception {
    try (TestDatabase database = SharedServer.freshDatabase()) {
      ControlDatabase.connect(address(database), SCHEMA).close();
      try (Connection connection = database.connect();
          Statement statement = connection.createStatement()) {
        statement.execute(
            "update %s.schema_version set version = '900' where version = '%d'"
                .formatted(SCHEMA, ControlDatabase.NEWEST));
      }

      assertThatThrownBy(() -> ControlDatabase.connect(address(database), SCHEMA))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining(SCHEMA + " has version 900, which a newer version")
          .hasMessageContaining("upgrade this program");
    }
  }
}
