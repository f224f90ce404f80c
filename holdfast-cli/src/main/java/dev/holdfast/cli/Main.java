package dev.holdfast.cli;

import dev.holdfast.cli.print.Closest;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
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

  /** Executes a command line and returns its exit status. */
  public static int run(PrintWriter out, PrintWriter err, String... args) {
    CommandLine line = commandLine();
    line.setOut(out);
    line.setErr(err);
    return line.execute(args);
  }

  /** Returns the root command with all its subcommands. */
  private static CommandLine commandLine() {
    HoldfastCommand root = new HoldfastCommand();
    CommandLine line = new CommandLine(root);
    ServiceLoader.load(Extension.class).forEach(extension -> extension.addTo(line));
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setUsageHelpAutoWidth(true);
    line.setParameterExceptionHandler((wrong, args) -> refuse(wrong));
    line.setExecutionExceptionHandler(
        (failure, command, parsed) -> report(failure, command.getErr(), root.verbose()));
    return line;
  }

  private static int refuse(ParameterException wrong) {
    CommandLine command = wrong.getCommandLine();
    String sentence =
        wrong instanceof UnmatchedArgumentException unmatched
            ? unknown(unmatched, command.getCommandSpec())
            : ErrorText.of(wrong);
    command
        .getErr()
        .println(
            "%s See '%s --help'.".formatted(sentence, command.getCommandSpec().qualifiedName()));
    return WRONG_USE;
  }

  /** Names the unknown word, and the command or option that is closest to it. */
  private static String unknown(UnmatchedArgumentException unmatched, CommandSpec spec) {
    String word = unmatched.getUnmatched().getFirst();
    boolean option = word.startsWith("-");
    String sentence =
        option || spec.subcommands().isEmpty()
            ? ErrorText.of(unmatched)
            : "There is no command '%s'.".formatted(word);
    return Closest.to(word.split("=", 2)[0], option ? spec.optionsMap().keySet() : visible(spec))
        .map(meant -> "%s Did you mean '%s'?".formatted(sentence, meant))
        .orElse(sentence);
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
    err.println(ErrorText.of(failure));
    return FAILED;
  }
}
