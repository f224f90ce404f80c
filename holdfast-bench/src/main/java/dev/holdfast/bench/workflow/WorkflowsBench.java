package dev.holdfast.bench.workflow;

import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchCommand;
import java.util.EnumSet;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures workflows against plain jobs, and against DBOS Transact. */
@Command(
    name = "workflows",
    description = {
      "Run workflows of no-op steps, and compare with plain jobs and with DBOS Transact.",
      "Chains of steps, the time between two steps, maps, and plain jobs beside 100k runs that wait"
          + " for timers."
    })
public final class WorkflowsBench extends BenchCommand {

  /** A part of the benchmark. */
  enum Part {
    CHAINS,
    LATENCY,
    MAPS,
    TIMERS,
    DBOS
  }

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "PART",
      description = "Run only these parts: ${COMPLETION-CANDIDATES}.")
  private Set<Part> only = EnumSet.allOf(Part.class);

  @Override
  public void measure(Bench bench) throws Exception {
    for (Part part : Part.values()) {
      if (only.contains(part)) {
        switch (part) {
          case CHAINS -> new ChainRate(bench).measure();
          case LATENCY -> new StepLatency(bench).measure();
          case MAPS -> new MapTimes(bench).measure();
          case TIMERS -> new WaitingRuns(bench).measure();
          case DBOS -> new DbosComparison(bench).measure();
        }
      }
    }
  }
}
