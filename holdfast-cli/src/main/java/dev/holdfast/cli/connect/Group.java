package dev.holdfast.cli.connect;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The base of the commands that only have subcommands. */
public abstract class Group implements Runnable {

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Override
  public final void run() {
    throw new ParameterException(
        spec.commandLine(),
        "Say what to do: %s.".formatted(String.join(", ", spec.subcommands().keySet())));
  }
}
