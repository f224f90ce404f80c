package dev.holdfast.bench.harness;

import java.io.PrintWriter;

/** What a benchmark works with: its options, the server, the report and the progress output. */
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

  /** Returns whether this is a quick run that only checks that the benchmark works. */
  public boolean quick() {
    return options.quick();
  }

  /** Returns the number of jobs per round: the one given by --jobs, or one of these defaults. */
  public int jobs(int usual, int quickly) {
    return options.jobs(usual, quickly);
  }

  public <T> Rounds<T> rounds(String bench) {
    return rounds(bench, BenchOptions.USUAL_ROUNDS);
  }

  /** Returns rounds for a benchmark with its own default number of rounds. */
  public <T> Rounds<T> rounds(String bench, int usual) {
    return new Rounds<>(options.rounds(usual), step -> say(bench, step));
  }

  /** Returns the number of rounds: the one given by --rounds, or one of these defaults. */
  public int rounds(int usual, int quickly) {
    return options.rounds(usual, quickly);
  }

  public int roundCount() {
    return options.rounds(BenchOptions.USUAL_ROUNDS);
  }

  /** Prints a line of progress. */
  public void say(String bench, String step) {
    progress.println("  " + bench + ": " + step);
    progress.flush();
  }
}
