package dev.holdfast.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.JobState;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.engine.HoldfastClient;
import dev.holdfast.engine.store.NodeBook.NodeStatus;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A real process that is told to stop by real signals. */
class DrainTest {
  private static final Duration SOON = Duration.ofSeconds(30);

  private final TestDatabase database = SharedServer.freshDatabase();
  private PostgresStore store;
  private Holdfast client;
  private Process process;
  private BufferedReader said;

  @BeforeEach
  void begin() throws IOException {
    store =
        PostgresStore.connect(
            PostgresSettings.builder(database.jdbcUrl())
                .user(database.user())
                .password(database.password())
                .build());
    client = HoldfastClient.on(store);
    process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                DrainProgram.class.getName(),
                database.jdbcUrl(),
                database.user(),
                database.password())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    said = process.inputReader(UTF_8);
    awaitLine("READY");
  }

  @AfterEach
  void end() {
    process.destroyForcibly();
    client.close();
    store.close();
  }

  private void awaitLine(String line) throws IOException {
    for (String read = said.readLine(); read != null; read = said.readLine()) {
      if (read.equals(line)) {
        return;
      }
    }
    throw new AssertionError("The process ended without saying " + line);
  }

  private void signal(String name) throws Exception {
    new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
  }

  private long beat() {
    return nodes().get(0).beat();
  }

  private List<NodeStatus> nodes() {
    return store.nodes().list();
  }

  @Test
  void aProcessThatIsToldToStopFinishesWhatItRunsAndBeatsToTheEnd() throws Exception {
    Enqueued<String> running = client.enqueue(DrainProgram.TASK, new DrainProgram.Wait("line"));
    awaitLine("BEGUN");

    signal("TERM");
    long told = System.nanoTime();
    long before = beat();
    await()
        .atMost(SOON)
        .until(
            () -> System.nanoTime() - told > DrainProgram.TERMS.toNanos() && beat() > before + 5);
    assertThat(client.find(running.id()).orElseThrow().state()).isEqualTo(JobState.RUNNING);
    assertThat(nodes())
        .singleElement()
        .matches(NodeStatus::alive)
        .matches(node -> node.silence().compareTo(DrainProgram.TERMS) < 0);
    process.outputWriter(UTF_8).append('\n').flush();

    assertThat(client.await(running, SOON)).isEqualTo("done");
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(143);
    assertThat(nodes()).singleElement().matches(node -> !node.alive());
  }

  @Test
  void aSecondSignalStopsAtOnce() throws Exception {
    Enqueued<String> running = client.enqueue(DrainProgram.TASK, new DrainProgram.Wait("line"));
    awaitLine("BEGUN");

    // Until it ends: signals that follow each other too fast may count as one.
    signal("TERM");
    while (!process.waitFor(200, TimeUnit.MILLISECONDS)) {
      signal("TERM");
    }
    assertThat(client.find(running.id()).orElseThrow().state()).isEqualTo(JobState.RUNNING);
  }
}
