package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MainTest {

  @Test
  void helpListsTheCommands() {
    Cli help = Cli.run("--help");

    assertThat(help.exit()).isZero();
    assertThat(help.out()).contains("demo", "bench", "jobs", "pause");
  }

  @Test
  void benchHelpListsTheBenchesAndHidesTheirChildren() {
    Cli help = Cli.run("bench", "--help");

    assertThat(help.exit()).isZero();
    assertThat(help.out()).contains("drain", "latency", "growth").doesNotContain("child");
  }

  @Test
  void versionIsOneLine() {
    Cli version = Cli.run("--version");

    assertThat(version.exit()).isZero();
    assertThat(version.out().strip()).startsWith("holdfast ").hasLineCount(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "demo --forevr        | Unknown option: '--forevr'",
        "demo --jobs x        | 'x' is not an int",
        "demo --jobs 0        | give at least 1",
        "demo --jobs 5 --minutes 1 | mutually exclusive",
        "bench                | Which bench is missing",
        "bench drain --rounds 0 | 0 rounds are not valid",
        "jobs --state asleep  | asleep",
        "jobs --database-url mysql://x | is not the URL of a PostgreSQL database",
        "job 42               | '42' is not a job id",
        "cancel               | Missing required parameter",
        "pause Mail!          | Queue name 'Mail!' is not valid",
        "limit mail           | MOST",
        "limit mail many      | 'many' is not a limit",
        "limit --task Mail 3  | Task name 'Mail' is not valid",
        "--log-level loud     | loud",
        "nonsense             | nonsense"
      })
  void wrongUseIsRefusedInASentence(String arguments, String reason) {
    Cli refused = Cli.run(arguments.strip().split(" +"));

    assertThat(refused.exit()).isEqualTo(2);
    assertThat(refused.out()).isEmpty();
    assertThat(refused.err().strip()).contains(reason.strip()).contains("--help'.").hasLineCount(1);
  }

  @Test
  void withoutACommandItSaysSo() {
    Cli nothing = Cli.run();

    assertThat(nothing.exit()).isEqualTo(2);
    assertThat(nothing.err().strip()).isEqualTo("A command is missing. See 'holdfast --help'.");
  }

  @Test
  void aFailureIsOneSentence() {
    Cli failed = Cli.run("queues", "--data-folder", "/nowhere");

    assertThat(failed.exit()).isEqualTo(1);
    assertThat(failed.err().strip())
        .startsWith("No database is named, and there is no embedded one in /nowhere")
        .endsWith(".")
        .hasLineCount(1);
  }

  @Test
  void verboseShowsTheStackTraceToo() {
    Cli failed = Cli.run("queues", "--data-folder", "/nowhere", "--verbose");

    assertThat(failed.err()).contains("\tat dev.holdfast.cli.").contains("No database is named");
  }
}
