package dev.holdfast.bench.harness;

import java.io.PrintWriter;

/** What a bench works with. */
public final class Bench {
  private final BenchOptions options;
  private final BenchServer server;
  private final Report report;
  private final PrintWriter progress;

  Bench(BenchOptions options, BenchServer server, Report report, PrintWriter progress) {
    this.options = options;
    this.server = server;
    this.report = report;
    this.progress = progress;
  }

  public BenchServer server() {
    return server;
  }

  public Report report() {
    return report;
  }

  /** Whether this is only to see that it works. */
  public boolean quick() {
    return options.quick();
  }

  /** How many jobs a round has: as many as were asked for, or these. */
  public int jobs(int usual, int quickly) {
    return options.jobs(usual, quickly);
  }

  public <T> Rounds<T> rounds(String bench) {
    return rounds(bench, BenchOptions.USUAL_ROUNDS);
  }

  /** Rounds for a bench that needs more of them than others, unless so many were asked for. */
  public <T> Rounds<T> rounds(String bench, int usual) {
    return new Rounds<>(options.rounds(usual), step -> say(bench, step));
  }

  public int roundCount() {
    return options.rounds(BenchOptions.USUAL_ROUNDS);
  }

  /** Tell whoever waits what is being done. */
  public void say(String bench, String step) {
    progress.println("  " + bench + ": " + step);
    progress.flush();
  }
}
