package dev.holdfast.bench.harness;

import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * A benchmark, run as a subcommand of {@code holdfast bench} or as a part of another benchmark.
 *
 * <p>To add one, annotate it as a picocli command and add it to {@code BenchSuite}.
 */
public abstract class BenchCommand implements Callable<Integer> {

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Mixin private final BenchOptions options = new BenchOptions();

  /** Runs the benchmark and adds its measures to the report. */
  public abstract void measure(Bench bench) throws Exception;

  /**
   * Returns whether the benchmark compares sides that take turns. Then {@code --check} needs enough
   * rounds, and large ones.
   */
  protected boolean takesTurns() {
    return true;
  }

  /** Returns whether the benchmark uses the server of {@link Bench}, which is started for it. */
  protected boolean usesServer() {
    return true;
  }

  @Override
  public final Integer call() throws Exception {
    options
        .complaint(takesTurns())
        .ifPresent(sentence -> {
          throw new ParameterException(spec.commandLine(), sentence);
        });
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    Report report = new Report();
    if (!usesServer() && options.named().isPresent()) {
      throw new ParameterException(
          spec.commandLine(),
          "This benchmark creates its own servers: remove --database-url and"
              + " HOLDFAST_DATABASE_URL.");
    }
    try (BenchServer server =
        usesServer() ? BenchServer.open(options.named()) : BenchServer.none()) {
      err.println("Measuring " + server);
      err.flush();
      measure(new Bench(options, server, report, err));
    }
    if (options.json()) {
      report.printJson(out);
      report.notes().forEach(err::println);
    } else {
      report.print(out);
    }
    return options.check() ? judge(report.misses(), err) : 0;
  }

  private static int judge(List<String> misses, PrintWriter err) {
    misses.forEach(err::println);
    err.flush();
    return misses.isEmpty() ? 0 : 1;
  }
}
