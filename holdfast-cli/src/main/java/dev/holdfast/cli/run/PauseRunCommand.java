package dev.holdfast.cli.run;

import picocli.CommandLine.Command;

/** Pauses a run. */
@Command(
    name = "pause",
    description = "Pause a run and its child runs: no step starts until it is resumed.")
public final class PauseRunCommand extends OneRunCommand {

  @Override
  protected int ask(Session session) {
    session.client().runs().pause(id());
    return session.report(
        true, "Run %s is paused; steps that are running continue.".formatted(id()));
  }
}
