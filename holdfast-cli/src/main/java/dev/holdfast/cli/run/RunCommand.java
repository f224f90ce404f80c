package dev.holdfast.cli.run;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Starts, shows and controls runs of workflows, each with a subcommand. */
@Command(
    name = "run",
    description = "Start, list, show, watch and control runs of workflows.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      StartCommand.class,
      ListCommand.class,
      ShowCommand.class,
      WatchCommand.class,
      EventsCommand.class,
      PauseRunCommand.class,
      ResumeRunCommand.class,
      CancelRunCommand.class,
      RetryRunCommand.class,
      RerunCommand.class,
      SignalCommand.class,
      MoveCommand.class
    })
public final class RunCommand implements Runnable {

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "Say what to do: %s.".formatted(String.join(", ", spec.subcommands().keySet())));
  }
}
