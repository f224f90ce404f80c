package dev.holdfast.cli.run;

import dev.holdfast.api.HoldfastException;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunState;
import java.io.Console;
import java.lang.reflect.InvocationTargetException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Follows a run until it ends. */
@Command(
    name = "watch",
    description = {
      "Follow a run until it ends.",
      "Redraws its graph on a terminal; otherwise prints a line for each event."
    },
    footer = "The exit code is 0 if the run succeeded, and 1 if it failed or was cancelled.")
public final class WatchCommand extends OneRunCommand {

  @Option(names = "--plain", description = "Print a line for each event, even on a terminal.")
  private boolean plain;

  @Override
  protected int ask(Session session) {
    RunWatch watch =
        new RunWatch(
            session.client().runs(),
            run -> ShowCommand.graph(session, run),
            id(),
            !plain && isTerminal(),
            session.out());
    try {
      Run ended = watch.follow();
      return ended.state() == RunState.SUCCEEDED ? DONE : FAILED;
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new HoldfastException("Stopped watching run %s.".formatted(id()), stopped);
    }
  }

  /** From Java 22 on, there is a console even if the output is a file, so it must be asked. */
  @SuppressWarnings("SystemConsoleNull") // Java 21 returns null for a file.
  private static boolean isTerminal() {
    Console console = System.console();
    if (console == null) {
      return false;
    }
    try {
      return (boolean) Console.class.getMethod("isTerminal").invoke(console);
    } catch (NoSuchMethodException java21) {
      return true;
    } catch (IllegalAccessException | InvocationTargetException unknown) {
      return false;
    }
  }
}
