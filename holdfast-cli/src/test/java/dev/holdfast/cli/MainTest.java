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
    assertThat(help.out()).contains("demo", "jobs", "pause");
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
        "demo --jobs 0        | must be at least 1",
        "demo --jobs 5 --minutes 1 | mutually exclusive",
        "jobs --state asleep  | asleep",
        "jobs --database-url mysql://x | The database URL is not valid",
        "job 42               | '42' is not a job id",
        "cancel               | Missing required parameter",
        "pause Mail!          | Queue name 'Mail!' is not valid",
        "limit mail           | MOST",
        "limit mail many      | 'many' is not a limit",
        "limit --task Mail 3  | Task name 'Mail' is not valid",
        "retry                | Use either the ID of a job or --all",
        "retry --queue mail   | Use either the ID of a job or --all",
        "enqueue Mail         | Task name 'Mail' is not valid",
        "enqueue mail {to     | '{to' is not JSON",
        "enqueue mail --in 5x | '5x' is not a duration",
        "enqueue mail --in 5m --at 2030-01-01T00:00:00Z | Use either --in or --at",
        "enqueue mail --priority 10 | Priority 10 is not valid",
        "publish mail.sent x  | 'x' is not JSON",
        "leases --limit 0     | Limit 0 is not valid",
        "--log-level loud     | loud",
        "nonsense             | nonsense"
      })
  void invalidArgumentsAreRejectedInOneSentence(String arguments, String reason) {
    Cli refused = Cli.run(arguments.strip().split(" +"));

    assertThat(refused.exit()).isEqualTo(2);
    assertThat(refused.out()).isEmpty();
    assertThat(refused.err().strip()).contains(reason.strip()).contains("--help'.").hasLineCount(1);
  }

  @Test
  void withoutACommandTheHelpIsPrinted() {
    assertThat(Cli.run().exit()).isZero();
    assertThat(Cli.run().out()).isEqualTo(Cli.run("--help").out());
    assertThat(Cli.run("help").out()).isEqualTo(Cli.run("--help").out());
    assertThat(Cli.run("help", "pause").out()).contains("Usage: holdfast pause");
  }

  @ParameterizedTest
  @CsvSource({
    "jobz, jobs",
    "quues, queues",
    "enqeue, enqueue",
    "demo --forevr, --forever",
    "jobs --stat=failed, --state"
  })
  void aSimilarCommandIsSuggested(String arguments, String meant) {
    Cli refused = Cli.run(arguments.split(" "));

    assertThat(refused.exit()).isEqualTo(2);
    assertThat(refused.err()).contains("Did you mean '%s'?".formatted(meant)).hasLineCount(1);
  }

  @Test
  void withoutASimilarCommandNothingIsSuggested() {
    assertThat(Cli.run("nonsense").err()).doesNotContain("Did you mean");
  }

  @Test
  void aFailureIsPrintedAsOneSentence() {
    Cli failed = Cli.run("queues", "--data-folder", "/nowhere");

    assertThat(failed.exit()).isEqualTo(1);
    assertThat(failed.err().strip())
        .startsWith("No database is given, and there is no embedded database in /nowhere")
        .endsWith(".")
        .hasLineCount(1);
  }

  @Test
  void verboseAddsTheStackTrace() {
    Cli failed = Cli.run("queues", "--data-folder", "/nowhere", "--verbose");

    assertThat(failed.err()).contains("\tat dev.holdfast.cli.").contains("No database is given");
  }
}
