package dev.holdfast.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SchemaScriptsTest {

  /** Programs compare the version of a schema with it, without reading the scripts. */
  @Test
  void theNewestVersionIsThatOfTheNewestFile() throws Exception {
    String folder = Migrations.LOCATION.substring("classpath:".length());
    Path first =
        Path.of(
            Objects.requireNonNull(
                    Migrations.class.getClassLoader().getResource(folder + "/V1__jobs.sql"))
                .toURI());
    try (Stream<Path> files = Files.list(Objects.requireNonNull(first.getParent()))) {
      assertThat(
              files
                  .map(file -> String.valueOf(file.getFileName()))
                  .filter(name -> name.matches("V\\d+__.*\\.sql"))
                  .mapToInt(name -> Integer.parseInt(name.substring(1, name.indexOf('_'))))
                  .max())
          .hasValue(SchemaScripts.NEWEST);
    }
  }
}
