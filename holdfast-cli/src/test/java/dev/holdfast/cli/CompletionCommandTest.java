package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The script that completes commands. */
class CompletionCommandTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"bash", "zsh"})
  void theScriptKnowsTheCommandsAndBashAcceptsIt(String shell) throws Exception {
    Cli completion = Cli.run("completion", shell);
    assertThat(completion.exit()).isZero();
    for (String command :
        List.of(
            "serve",
            "config",
            "check",
            "tenant create",
            "key rotate",
            "workflow list",
            "run watch",
            "job enqueue",
            "queue pause",
            "schedule put",
            "trigger put",
            "event publish",
            "node drain",
            "lease list",
            "dlq purge",
            "audit list",
            "profile add")) {
      assertThat(completion.out())
          .as(command)
          .contains("function _picocli_holdfast_%s()".formatted(command.replace(' ', '_')));
    }
    assertThat(completion.out()).contains("--installation", "--output");

    Path script = Files.writeString(folder.resolve("completion"), completion.out());
    Process bash =
        new ProcessBuilder("bash", "-n", script.toString()).redirectErrorStream(true).start();
    String said = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(bash.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(bash.exitValue()).as(said).isZero();
  }
}
