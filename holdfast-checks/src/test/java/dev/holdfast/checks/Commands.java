package dev.holdfast.checks;

import dev.holdfast.cli.Main;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Commands in pages, compared with those that the program has. */
final class Commands {
  private static final CommandSpec ROOT = Main.allCommands().getCommandSpec();
  private static final Pattern SPAN = Pattern.compile("`(?:\\./)?holdfast ([^`\n]+)`");
  private static final Pattern SHELL = Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL);

  /** A line of a shell, also with variables in front, or the command inside {@code $(...)}. */
  private static final Pattern LINE =
      Pattern.compile(
          "(?m)^ *(?:[A-Z_]+=\\S+ +)*(?:\\.{0,2}/)?holdfast (.+)$|\\$\\((?:\\./)?holdfast"
              + " ([^)]+)\\)");

  private static final Pattern END = Pattern.compile("\\s(?:#|\\||\\|\\||&&|>)(?:\\s|$)");
  private static final Pattern WORD = Pattern.compile("(?:'[^']*'|\"[^\"]*\"|[^\\s'\"])+");

  private Commands() {}

  /** Returns the arguments of each command in code spans and shell blocks. */
  static List<String> namedIn(String page) {
    Stream<String> spans = SPAN.matcher(page).results().map(span -> span.group(1));
    Stream<String> lines =
        SHELL
            .matcher(page)
            .results()
            .flatMap(block -> LINE.matcher(block.group(1).replace("\\\n", " ")).results())
            .map(line -> line.group(1) == null ? line.group(2) : line.group(1));
    return Stream.concat(spans, lines).toList();
  }

  /** Says what is wrong with the arguments; {@code a|b} means both commands. */
  static Optional<String> mistake(String arguments) {
    Queue<String> words = new ArrayDeque<>();
    WORD.matcher(END.split(arguments, 2)[0]).results().forEach(word -> words.add(word.group()));
    return mistake(ROOT, words).map(mistake -> "holdfast %s: %s".formatted(arguments, mistake));
  }

  private static Optional<String> mistake(CommandSpec command, Queue<String> words) {
    List<String> given = new ArrayList<>();
    while (!words.isEmpty()) {
      String word = words.remove();
      if (word.startsWith("-")) {
        OptionSpec option = command.optionsMap().get(word.split("=", 2)[0]);
        if (option == null) {
          return Optional.of("no option " + word);
        }
        if (option.arity().min() > 0 && !word.contains("=")) {
          words.poll();
        }
      } else if (command.subcommands().isEmpty()) {
        given.add(word);
      } else if (word.equals("COMMAND")) {
        return Optional.empty();
      } else {
        return Arrays.stream(word.split("\\|"))
            .map(name -> below(command, name, words))
            .flatMap(Optional::stream)
            .findFirst();
      }
    }
    long most =
        command.positionalParameters().stream()
            .mapToLong(value -> Math.max(value.index().max() + 1L, value.arity().max()))
            .max()
            .orElse(0);
    return given.size() > most ? Optional.of("too many arguments " + given) : Optional.empty();
  }

  private static Optional<String> below(CommandSpec group, String name, Queue<String> words) {
    return group.subcommands().containsKey(name)
        ? mistake(group.subcommands().get(name).getCommandSpec(), new ArrayDeque<>(words))
        : Optional.of("no command " + name);
  }
}
