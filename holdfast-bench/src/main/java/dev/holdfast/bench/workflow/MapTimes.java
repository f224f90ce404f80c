package dev.holdfast.bench.workflow;

import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchDatabase;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.Report;
import dev.holdfast.bench.harness.Rounds;
import dev.holdfast.engine.node.HoldfastNode;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Measures how long maps take, and whether large ones take longer for each element. */
final class MapTimes {
  private static final int FEW_SLOTS = 10;
  private static final int SMALL = 100;

  private final Bench bench;

  MapTimes(Bench bench) {
    this.bench = bench;
  }

  void measure() throws Exception {
    try (BenchDatabase database = bench.server().fresh()) {
      inFewSlots(database);
      large(database);
    }
  }

  private void inFewSlots(BenchDatabase database) throws Exception {
    int elements = bench.quick() ? 50 : 400;
    try (HoldfastNode node =
        NoopFlows.node(database.store(), new AtomicInteger()).maxConcurrent(FEW_SLOTS).start()) {
      Rounds<Double> rounds =
          bench.<Double>rounds("workflows.map").side("map", () -> millis(node, elements)).run();
      bench
          .report()
          .add(
              Measure.of("workflows.map_400", rounds.median("map", r -> r), "ms")
                  .should(Bar.atMost(1_000)));
    }
  }

  private void large(BenchDatabase database) throws Exception {
    int elements = bench.quick() ? 1_000 : 10_000;
    try (HoldfastNode node = NoopFlows.node(database.store(), new AtomicInteger()).start()) {
      Rounds<Double> rounds =
          bench
              .<Double>rounds("workflows.large_map")
              .side("small", () -> millis(node, SMALL) / SMALL)
              .side("large", () -> millis(node, elements) / elements)
              .run();
      Report report = bench.report();
      report.add(Measure.of("workflows.map_small", rounds.median("small", r -> r), "ms/element"));
      report.add(Measure.of("workflows.map_large", rounds.median("large", r -> r), "ms/element"));
      report.add(
          Measure.of("workflows.map_ratio", rounds.ratio("large", "small", r -> r), Measure.RATIO)
              .should(Bar.atMost(1.5)));
    }
  }

  private static double millis(HoldfastNode node, int elements) throws InterruptedException {
    Workflow<List<Integer>, Void> map = NoopFlows.map();
    List<Integer> numbers = IntStream.range(0, elements).boxed().toList();
    long sent = System.nanoTime();
    var run = node.client().runs().start(map, numbers);
    node.client().runs().await(run, NoopFlows.PATIENCE);
    return (System.nanoTime() - sent) / 1e6;
  }
}
