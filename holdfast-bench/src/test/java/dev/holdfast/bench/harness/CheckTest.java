package dev.holdfast.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** When {@code --check} fails, independent of the speed of this machine. */
class CheckTest {
  private static final TestDatabase DATABASE = SharedServer.freshDatabase();
  private static final Measure MET = measure("fake.met", 3).should(Bar.atLeast(2));
  private static final Measure MISSED = measure("fake.missed", 1.5).should(Bar.atLeast(2));
  private static final Measure NOT_MEASURED =
      measure("fake.none", Double.NaN).should(Bar.atMost(2));
  private static final Measure SHOWN = measure("fake.shown", 0);

  /** A benchmark that reports the given measures. */
  @Command(name = "fake")
  static final class FakeBench extends BenchCommand {
    private final List<Measure> found;

    FakeBench(List<Measure> found) {
      this.found = found;
    }

    @Override
    public void measure(Bench bench) {
      if (found.isEmpty()) {
        throw new BenchException("Nothing could be measured.");
      }
      found.forEach(bench.report()::add);
    }
  }

  private record Run(int exit, String err) {}

  @AfterAll
  static void drop() {
    DATABASE.close();
  }

  @Test
  void aMissedBarFailsTheCheckAndIsNamed() {
    Run check = run(List.of(MET, MISSED, SHOWN), "--check");

    assertThat(check.exit).isEqualTo(1);
    assertThat(check.err).contains("fake.missed is 1.50 x and should be >= 2.");
    assertThat(check.err).doesNotContain("fake.met", "fake.shown");
  }

  @Test
  void aBarThatWasNotMeasuredFailsTheCheckAndIsNamed() {
    Run check = run(List.of(MET, NOT_MEASURED), "--check", "--json");

    assertThat(check.exit).isEqualTo(1);
    assertThat(check.err).contains("fake.none was not measured and should be <= 2.");
  }

  @Test
  void aBenchThatFailsFailsTheCheck() {
    assertThat(run(List.of(), "--check").exit).isNotZero();
  }

  @Test
  void barsThatAreMetPassTheCheck() {
    assertThat(run(List.of(MET, SHOWN), "--check").exit).isZero();
  }

  @Test
  void withoutACheckAMissedBarIsOnlyShown() {
    assertThat(run(List.of(MISSED, NOT_MEASURED)).exit).isZero();
  }

  private static Measure measure(String name, double value) {
    return Measure.of(name, value, Measure.RATIO);
  }

  private static Run run(List<Measure> found, String... args) {
    StringWriter err = new StringWriter();
    CommandLine line = new CommandLine(new FakeBench(found));
    line.setOut(new PrintWriter(new StringWriter()));
    line.setErr(new PrintWriter(err, true));
    String[] all =
        Stream.concat(
                Arrays.stream(args),
                Stream.of(
                    "--database-url=" + DATABASE.jdbcUrl(),
                    "--user=" + DATABASE.user(),
                    "--password=" + DATABASE.password()))
            .toArray(String[]::new);
    return new Run(line.execute(all), err.toString());
  }
}
