package dev.holdfast.cli;

import dev.holdfast.cli.bench.BenchSuite;
import dev.holdfast.cli.print.Closest;
import java.io.PrintWriter;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

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
            "%s%s See '%s --help'."
                .formatted(
                    Sentence.of(wrong), meant(wrong), command.getCommandSpec().qualifiedName()));
    return WRONG_USE;
  }

  /** The command or option that was probably meant by one that does not exist. */
  private static String meant(ParameterException wrong) {
    if (!(wrong instanceof UnmatchedArgumentException unmatched)) {
      return "";
    }
    CommandSpec spec = wrong.getCommandLine().getCommandSpec();
    String word = unmatched.getUnmatched().getFirst();
    Collection<String> known =
        word.startsWith("-") ? spec.optionsMap().keySet() : visible(spec);
    return Closest.to(word, known).map(" Did you mean '%s'?"::formatted).orElse("");
  }

  private static List<String> visible(CommandSpec spec) {
    return spec.subcommands().entrySet().stream()
        .filter(entry -> !entry.getValue().getCommandSpec().usageMessage().hidden())
        .map(Map.Entry::getKey)
        .toList();
  }

  private static int report(Exception failure, PrintWriter err, boolean verbose) {
    if (verbose) {
      failure.printStackTrace(err);
    }
    err.println(Sentence.of(failure));
    return FAILED;
  }
}
