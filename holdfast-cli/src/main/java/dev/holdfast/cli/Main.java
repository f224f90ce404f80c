package dev.holdfast.cli;

import dev.holdfast.cli.connect.ApiException;
import dev.holdfast.cli.connect.ExitCode;
import dev.holdfast.cli.connect.Target;
import dev.holdfast.cli.print.Closest;
import dev.holdfast.cli.print.Json;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;
import tools.jackson.databind.JsonNode;

/** Starts the holdfast command. */
public final class Main {
  private static final Set<Class<?>> NEEDS_ALL =
      Set.of(CommandLine.HelpCommand.class, CompletionCommand.class);

  private Main() {}

  public static void main(String[] args) {
    System.exit(commandLine(System.getenv(), args).execute(args));
  }

  /** Executes a command line and returns its exit status. */
  public static int run(PrintWriter out, PrintWriter err, String... args) {
    return run(System.getenv(), out, err, args);
  }

  /** Executes a command line with the given variables and returns its exit status. */
  static int run(Map<String, String> variables, PrintWriter out, PrintWriter err, String... args) {
    CommandLine line = commandLine(variables, args);
    line.setOut(out);
    line.setErr(err);
    return line.execute(args);
  }

  /** Returns the root command with all subcommands. */
  public static CommandLine allCommands() {
    return commandLine(Map.of());
  }

  /** Returns the root command with the subcommands that the arguments may mean. */
  private static CommandLine commandLine(Map<String, String> variables, String... args) {
    HoldfastCommand root = new HoldfastCommand(variables);
    CommandLine line = new CommandLine(root);
    // There are about a hundred commands. If the first word names one, only that one is set up.
    List<Class<?>> named =
        HoldfastCommand.COMMANDS.stream()
            .filter(command -> args.length > 0 && nameOf(command).equals(args[0]))
            .filter(command -> !NEEDS_ALL.contains(command))
            .toList();
    if (named.isEmpty()) {
      HoldfastCommand.COMMANDS.forEach(line::addSubcommand);
      ServiceLoader.load(Extension.class).forEach(extension -> extension.addTo(line));
    } else {
      named.forEach(line::addSubcommand);
    }
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setUsageHelpAutoWidth(true);
    line.setParameterExceptionHandler((wrong, words) -> refuse(wrong));
    line.setExecutionExceptionHandler(
        (failure, command, parsed) -> report(failure, command, root.verbose()));
    return line;
  }

  private static String nameOf(Class<?> command) {
    return command.getAnnotation(CommandLine.Command.class).name();
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
    return ExitCode.USAGE.number();
  }

  /** Names the unknown word, and the command or option that is closest to it. */
  private static String unknown(UnmatchedArgumentException unmatched, CommandSpec spec) {
    String word = unmatched.getUnmatched().getFirst();
    boolean option = word.startsWith("-");
    String sentence =
        option || spec.subcommands().isEmpty()
            ? ErrorText.of(unmatched)
            : "There is no command '%s'.".formatted(word);
    return meant(word.split("=", 2)[0], option, spec)
        .map(meant -> "%s Did you mean '%s'?".formatted(sentence, meant))
        .orElse(sentence);
  }

  private static Optional<String> meant(String word, boolean option, CommandSpec spec) {
    if (option) {
      return Closest.to(word, spec.optionsMap().keySet());
    }
    // 'holdfast enqueue' is most likely meant as 'holdfast job enqueue'.
    List<String> below =
        visible(spec).stream()
            .filter(group -> {
              CommandLine commands = spec.subcommands().get(group);
              return commands != null && commands.getSubcommands().containsKey(word);
            })
            .map(group -> group + " " + word)
            .toList();
    return below.isEmpty()
        ? Closest.to(word, visible(spec))
        : Optional.of(String.join("' or '", below));
  }

  private static List<String> visible(CommandSpec spec) {
    return spec.subcommands().entrySet().stream()
        .filter(entry -> !entry.getValue().getCommandSpec().usageMessage().hidden())
        .map(Map.Entry::getKey)
        .toList();
  }

  private static int report(Exception failure, CommandLine command, boolean verbose) {
    PrintWriter err = command.getErr();
    if (verbose) {
      failure.printStackTrace(err);
    }
    JsonNode problem = failure instanceof ApiException refused ? refused.problem() : null;
    if (problem != null && printsJson(command)) {
      Json.printLine(problem, err);
    } else if (failure instanceof ApiException refused) {
      err.println(refused.getMessage());
    } else {
      err.println(ErrorText.of(failure));
    }
    return ExitCode.of(failure).number();
  }

  private static boolean printsJson(CommandLine command) {
    return command.getCommandSpec().mixins().values().stream()
        .anyMatch(mixin -> mixin.userObject() instanceof Target target && target.json());
  }
}
