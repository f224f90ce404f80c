package dev.holdfast.cli.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.cli.Cli;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Types the lines of docs/server.md and docs/getting-started.md, from nothing to a result. */
class GuideTest {
  private static final Duration WAIT = Duration.ofMinutes(2);
  private static final Pattern BLOCK = Pattern.compile("(?s)```sh\n(.*?)```");

  @TempDir private Path folder;

  private static Path checkout() {
    Path here = Path.of("").toAbsolutePath();
    return Files.exists(here.resolve("docs/server.md")) ? here : here.getParent();
  }

  /** Returns the blocks of shell lines of a section. */
  private static List<String> blocks(String guide, String heading) throws IOException {
    String text = Files.readString(checkout().resolve("docs").resolve(guide));
    int start = text.indexOf("## " + heading + "\n");
    assertThat(start).as("section '%s'", heading).isPositive();
    int end = text.indexOf("\n## ", start);
    Matcher blocks = BLOCK.matcher(text.substring(start, end < 0 ? text.length() : end));
    List<String> found = new ArrayList<>();
    while (blocks.find()) {
      found.add(blocks.group(1));
    }
    assertThat(found).isNotEmpty();
    return found;
  }

  /** Returns the shell lines of a section of docs/server.md. */
  private static String lines(String heading) throws IOException {
    return String.join("", blocks("server.md", heading));
  }

  private static boolean has(String program) throws InterruptedException {
    try {
      return new ProcessBuilder(program, "--version")
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException missing) {
      return false;
    }
  }

  /** Runs lines in a shell that stops at the first failure, and returns what they print. */
  private String type(ServeProcesses processes, String lines) throws Exception {
    Path script = Files.writeString(folder.resolve("lines.sh"), "set -e\n" + lines);
    ProcessBuilder builder =
        new ProcessBuilder("sh", script.toString())
            .directory(folder.toFile())
            .redirectErrorStream(true);
    builder.environment().put("XDG_CONFIG_HOME", processes.config().toString());
    Process shell = builder.start();
    String printed = new String(shell.getInputStream().readAllBytes(), UTF_8);
    assertThat(shell.waitFor()).as(printed).isZero();
    return printed;
  }

  /** A launcher in the folder of the shell: the real one would build the project first. */
  private void installLauncher() throws IOException {
    StringBuilder words = new StringBuilder("#!/bin/sh\nexec");
    ServeProcesses.command()
        .forEach(word -> words.append(" '").append(word.replace("'", "'\\''")).append("'"));
    Path launcher = Files.writeString(folder.resolve("holdfast"), words.append(" \"$@\"\n"));
    assertThat(launcher.toFile().setExecutable(true)).isTrue();
  }

  @Test
  void aNewUserGetsFromNothingToARunThatIsWatched() throws Exception {
    assertThat(lines("Start")).isEqualTo("./holdfast serve --demo\n");
    installLauncher();
    int port = ServeProcesses.freePort();
    try (ServeProcesses processes = new ServeProcesses(folder)) {
      var server = processes.start(port, "--demo", "--data-dir=" + folder.resolve("data"));
      String key = server.word("holdfast_live_default_");
      Map<String, String> profile = Map.of("XDG_CONFIG_HOME", processes.config().toString());
      await()
          .atMost(WAIT)
          .until(() -> Cli.with(profile, "workflow", "list").out().contains("demo::fulfil"));

      String command = type(processes, lines("The same with the command"));
      assertThat(command)
          .contains("demo::fulfil", "demo::newsletter")
          .contains("STEP_SUCCEEDED pack", "STEP_SUCCEEDED ship", "ended SUCCEEDED");

      assumeThat(has("curl")).as("curl is on this machine").isTrue();
      String curl =
          type(
              processes,
              (lines("A run, watched with curl") + lines("Jobs"))
                  .replace("holdfast_live_default_...", key)
                  .replace("127.0.0.1:7420", "127.0.0.1:" + port));
      assertThat(curl)
          .contains("\"name\":\"demo::fulfil\"")
          .containsPattern("event: run\ndata: .*\"kind\":\"STEP_SUCCEEDED\",\"step\":\"ship\"")
          .contains("TASK_NOT_SERVED");
    }
  }

  /** The last block of that section needs Maven; {@code PackageCommandTest} does what it says. */
  @Test
  void theFirstJobOfANewUserWaitsForAWorkerAndRunsThere() throws Exception {
    assumeThat(has("python3")).as("python3 is on this machine").isTrue();
    List<String> blocks = blocks("getting-started.md", "As a server");
    assertThat(blocks).hasSize(4).first().isEqualTo("./holdfast serve\n");
    installLauncher();
    Path worker = folder.resolve("examples/workers/worker.py");
    Files.createDirectories(worker.getParent());
    Files.copy(checkout().resolve("examples/workers/worker.py"), worker);
    int port = ServeProcesses.freePort();
    try (ServeProcesses processes = new ServeProcesses(folder)) {
      var server = processes.start(port, "--data-dir=" + folder.resolve("data"));

      String printed =
          type(
              processes,
              (blocks.get(1) + blocks.get(2))
                  .replace("holdfast_live_default_...", server.word("holdfast_live_default_"))
                  .replace("127.0.0.1:7420", "127.0.0.1:" + port));

      assertThat(printed)
          .contains("[TASK_NOT_SERVED]", "SUCCEEDED, attempt 1")
          .containsPattern("(?m)^result +5$");
    }
  }
}
