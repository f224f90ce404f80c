package dev.holdfast.cli;

import dev.holdfast.cli.bench.BenchSuite;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Starts the holdfast command. */
public final class Main {
  private static final int FAILED = 1;
  private static final int WRONG_USE = 2;

  private Main() {}

  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  /** The command with all its subcommands, ready to execute. */
  static CommandLine commandLine() {
    HoldfastCommand root = new HoldfastCommand();
    CommandLine line = new CommandLine(root);
    BenchSuite.addTo(line);
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setUsageHelpAutoWidth(true);
    line.setParameterExceptionHandler((wrong, args) -> refuse(wrong));
    line.setExecutionExceptionHandler(
        (failure, command, parsed) -> report(failure, command.getErr(), root.verbose()));
    return line;
  }

  private static int refuse(ParameterException wrong) {
    CommandLine command = wrong.getCommandLine();
    command
        .getErr()
        .println(
            "%s See '%s --help'."
                .formatted(Sentence.of(wrong), command.getCommandSpec().qualifiedName()));
    return WRONG_USE;
  }

  private static int report(Exception failure, PrintWriter err, boolean verbose) {
    if (verbose) {
      failure.printStackTrace(err);
    }
    err.println(Sentence.of(failure));
    return FAILED;
  }
}
