package dev.holdfast.bench;

import dev.holdfast.bench.PeerSide.Turn;
import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.Report;
import dev.holdfast.bench.harness.Rounds;
import dev.holdfast.bench.peers.Tuning;
import dev.holdfast.cli.print.Table;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Reports the comparison: the measures of each library, the ratios with bars, and a table. */
final class PeerReport {
  private static final String DEFAULT = "." + Tuning.DEFAULT.label();
  private static final String TUNED = "." + Tuning.TUNED.label();
  private static final String GRAPHILE = "graphile-worker";
  private static final String DB_SCHEDULER = "db-scheduler";

  private final Report report;
  private final Rounds<Turn> drains;
  private final Rounds<Double> starts;
  private final PeerChoice choice;

  PeerReport(Report report, Rounds<Turn> drains, Rounds<Double> starts, PeerChoice choice) {
    this.report = report;
    this.drains = drains;
    this.starts = starts;
    this.choice = choice;
  }

  void add() {
    Table table =
        Table.of("library", "fresh", "warm", "fresh, tuned", "warm, tuned", "to first job")
            .numbers("fresh", "warm", "fresh, tuned", "warm, tuned", "to first job");
    for (String library : choice.libraries()) {
      table.row(
          library,
          drain(library + DEFAULT, "fresh", Turn::fresh),
          drain(library + DEFAULT, "warm", Turn::warm),
          drain(library + TUNED, "fresh", Turn::fresh),
          drain(library + TUNED, "warm", Turn::warm),
          start(library));
    }
    report.table(table);
    ratios();
  }

  private String drain(String side, String kind, ToDoubleFunction<Turn> what) {
    return shown(
        Measure.of("peers.%s.%s".formatted(side, kind), drains.median(side, what), "jobs/s"));
  }

  private String start(String library) {
    return shown(
        Measure.of("peers.%s.start".formatted(library), starts.median(library, s -> s), "ms"));
  }

  private String shown(Measure measure) {
    if (!measure.isMeasured()) {
      return "-";
    }
    report.add(measure);
    return measure.shown();
  }

  private void ratios() {
    if (choice.drains(Tuning.DEFAULT) && choice.drains(Tuning.TUNED)) {
      ratio(
          GRAPHILE,
          "peers.graphile-worker_ratio",
          drains.ratio(PeersBench.HOLDFAST + DEFAULT, GRAPHILE + TUNED, Turn::fresh),
          Bar.atLeast(1));
      ratio(
          DB_SCHEDULER,
          "peers.db-scheduler_ratio",
          drains.ratio(PeersBench.HOLDFAST + DEFAULT, DB_SCHEDULER + TUNED, Turn::fresh),
          Bar.atLeast(5));
    }
    if (choice.drains(Tuning.TUNED)) {
      warmRatio();
    }
    if (choice.starts()) {
      ratio(
          DB_SCHEDULER,
          "peers.start_ratio",
          starts.ratio(PeersBench.HOLDFAST, DB_SCHEDULER, s -> s),
          Bar.atMost(1.2));
    }
  }

  /** Adds the ratio to the fastest library in Java, both tuned and warm. */
  private void warmRatio() {
    List<String> java =
        Arrays.stream(JavaPeers.values()).map(peer -> peer.label).filter(choice::has).toList();
    java.stream()
        .map(peer -> drains.ratio(PeersBench.HOLDFAST + TUNED, peer + TUNED, Turn::warm))
        .min(Double::compare)
        .ifPresent(least -> ratio(java.getFirst(), "peers.ratio", least, Bar.atLeast(4)));
  }

  /** Adds a ratio to another library. It is missing, not omitted, if that one could not run. */
  private void ratio(String other, String name, double value, Bar bar) {
    if (choice.has(PeersBench.HOLDFAST) && choice.has(other)) {
      report.add(Measure.of(name, value, Measure.RATIO).should(bar));
    }
  }
}
