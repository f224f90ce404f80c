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
    assertThat(help.out()).contains("demo", "job", "queue", "tenant");
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
        "job list --state asleep  | asleep",
        "job list --database-url mysql://x | The database URL is not valid",
        "job show 42               | '42' is not a job id",
        "job cancel               | Missing required parameter",
        "queue pause Mail!          | Queue name 'Mail!' is not valid",
        "queue limit mail           | MOST",
        "queue limit mail many      | 'many' is not a limit",
        "task limit Mail 3  | Task name 'Mail' is not valid",
        "dlq retry                | Use either the ID of a job or --all",
        "dlq retry --queue mail   | Use either the ID of a job or --all",
        "job enqueue Mail         | Task name 'Mail' is not valid",
        "job enqueue mail {to     | '{to' is not JSON",
        "job enqueue mail --in 5x | '5x' is not a duration",
        "job enqueue mail --in 5m --at 2030-01-01T00:00:00Z | Use either --in or --at",
        "job enqueue mail --priority 10 | Priority 10 is not valid",
        "event publish mail.sent x  | 'x' is not JSON",
        "queue                | Say what to do",
        "queue list --url ftp://x --key k | is not the URL of a server",
        "queue list --url http://x --database-url jdbc:postgresql://x/y | Both a server and a"
            + " database",
        "tenant list --database-url jdbc:postgresql://x/y | needs a server",
        "task list --url http://x | works on a database only",
        "completion fish      | fish",
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
    assertThat(Cli.run("help", "queue").out()).contains("Usage: holdfast queue");
  }

  @ParameterizedTest
  @CsvSource({
    "jobz, job",
    "quue, queue",
    "job enqeue, enqueue",
    "enqueue, job enqueue",
    "tenant lsit, list",
    "demo --forevr, --forever",
    "job list --stat=failed, --state"
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
    Cli failed = Cli.run("queue", "list", "--data-folder", "/nowhere");

    assertThat(failed.exit()).isEqualTo(1);
    assertThat(failed.err().strip())
        .startsWith("No database is given, and there is no embedded database in /nowhere")
        .endsWith(".")
        .hasLineCount(1);
  }

  @Test
  void verboseAddsTheStackTrace() {
    Cli failed = Cli.run("queue", "list", "--data-folder", "/nowhere", "--verbose");

    assertThat(failed.err()).contains("\tat dev.holdfast.cli.").contains("No database is given");
  }
}
