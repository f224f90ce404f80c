package dev.holdfast.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.print.Table;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReportTest {
  private final Report report = new Report();

  @BeforeEach
  void twoMeasuresWithABarAndOneWithout() {
    report.add(Measure.of("drain.rate", 21_234.56, "jobs/s"));
    report.add(Measure.of("drain.ratio", 0.4321, Measure.RATIO).should(Bar.atLeast(0.5)));
    report.add(Measure.of("wal.per_job", 1300, "bytes").should(Bar.atMost(1300)));
  }

  @Test
  void theTextReportIsATable() {
    assertThat(printed(Report::print))
        .isEqualToNormalizingNewlines(
            """
            name         value  unit    bar      ok
            drain.rate   21235  jobs/s
            drain.ratio  0.432  x       >= 0.50  NO
            wal.per_job   1300  bytes   <= 1300  yes
            """);
  }

  @Test
  void notesFollowTheTable() {
    report.note("idle was not measured.");

    assertThat(printed(Report::print).strip()).endsWith("idle was not measured.");
  }

  @Test
  void addedTablesFollowTheMeasuresAndAreOnlyInTheText() {
    Table table = Table.of("library", "fresh");
    table.row("holdfast", "37,400");
    report.table(table);
    report.note("A note.");

    assertThat(printed(Report::print))
        .containsSubsequence("wal.per_job", "library   fresh", "holdfast  37,400", "A note.");
    assertThat(printed(Report::printJson)).doesNotContain("library");
  }

  @Test
  void theJsonReportIsAnArray() {
    assertThat(printed(Report::printJson).replaceAll("\\s+", ""))
        .isEqualTo(
            """
            [{"name":"drain.rate","value":21234.56,"unit":"jobs/s","bar":null,"ok":true},\
            {"name":"drain.ratio","value":0.432,"unit":"x","bar":">=0.50","ok":false},\
            {"name":"wal.per_job","value":1300.0,"unit":"bytes","bar":"<=1300","ok":true}]\
            """);
  }

  @Test
  void eachMissedBarIsNamed() {
    assertThat(report.misses()).containsExactly("drain.ratio is 0.432 x and should be >= 0.50.");
  }

  @Test
  void nanMissesItsBar() {
    report.add(Measure.of("broken", Double.NaN, Measure.RATIO).should(Bar.atMost(1)));

    assertThat(report.misses()).hasSize(2).contains("broken was not measured and should be <= 1.");
    assertThat(printed(Report::print)).contains("none");
    assertThat(printed(Report::printJson).replaceAll("\\s+", ""))
        .contains("{\"name\":\"broken\",\"value\":null,");
  }

  private String printed(BiConsumer<Report, PrintWriter> how) {
    StringWriter text = new StringWriter();
    how.accept(report, new PrintWriter(text, true));
    return text.toString();
  }
}
