package dev.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.Main;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the command prints about benchmarks, which it finds on the class path. */
class BenchHelpTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), args);
  }

  @Test
  void helpListsBench() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString()).contains("demo", "bench");
  }

  @Test
  void benchHelpListsTheBenchmarksAndHidesTheirChildren() {
    assertThat(run("bench", "--help")).isZero();
    assertThat(out.toString())
        .contains("drain", "latency", "growth", "workflows", "peers", "chaos")
        .doesNotContain("child");
  }

  @ParameterizedTest
  @CsvSource({
    "bench, No benchmark is given",
    "bench drain --rounds 0, 0 rounds are not valid",
    "bench drian, Did you mean 'drain'?",
    "bench peers --only oracle, graphile-worker"
  })
  void invalidArgumentsAreRejected(String arguments, String reason) {
    assertThat(run(arguments.split(" "))).isEqualTo(2);
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString().strip()).contains(reason).contains("--help'.").hasLineCount(1);
  }

  @Test
  void aHiddenCommandIsNotSuggested() {
    assertThat(run("bench", "drain-chil")).isEqualTo(2);
    assertThat(err.toString()).doesNotContain("Did you mean");
  }
}
