package dev.holdfast.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.Cli;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoCommandTest {
  @TempDir private Path folder;

  @Test
  void jobsRunOnAnEmbeddedServerAndCanBeInspectedAfterwards() {
    String data = "--data-folder=" + folder.resolve("postgres");

    Cli demo = Cli.run("demo", "--jobs", "50", data);

    assertThat(demo.exit()).as(demo.err()).isZero();
    assertThat(demo.out())
        .contains("The demo runs until 50 jobs are done")
        .contains("queue mail", "queue reports", "queue cpu")
        .containsPattern("In \\d+ seconds 50 jobs were enqueued and \\d\\d done");
    assertThat(Cli.run("job", "list", "--count", data).out()).containsPattern("SUCCEEDED +\\d\\d");
    assertThat(Cli.run("node", "list", "--json", data).out()).contains("\"alive\" : false");
  }

  @Test
  void aNamedDatabaseGetsASchemaForTheDemo() {
    try (TestDatabase database = SharedServer.freshDatabase()) {
      Cli demo = Cli.on(database, "demo", "--jobs", "5");

      assertThat(demo.exit()).as(demo.err()).isZero();
      assertThat(demo.out()).contains("The jobs are in schema holdfast_demo.");
      assertThat(Cli.on(database, "queue", "list").err()).contains("has no Holdfast tables");
      assertThat(Cli.on(database, "queue", "list", "--schema", "holdfast_demo").out())
          .contains("queue");
    }
  }

  @Test
  void aPausedQueueIsReportedAsPaused() {
    try (TestDatabase database = SharedServer.freshDatabase()) {
      Cli.on(database, "demo", "--jobs", "1");
      // It may have no jobs and no node at this moment.
      Cli pause =
          Cli.on(database, "queue", "pause", "mail", "--force", "--schema", "holdfast_demo");
      assertThat(pause.exit()).as(pause.err()).isZero();

      Cli demo = Cli.on(database, "demo", "--jobs", "20");

      assertThat(demo.out())
          .containsOnlyOnce(
              "Queue 'mail' is paused: its jobs wait until 'holdfast queue resume mail'.");
    }
  }
}
