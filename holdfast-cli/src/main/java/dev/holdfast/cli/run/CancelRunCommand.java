package dev.holdfast.cli.run;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Cancels a run. */
@Command(
    name = "cancel",
    description = "Cancel a run and its child runs. Compensations and finally steps still run.")
public final class CancelRunCommand extends OneRunCommand {

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      defaultValue = "by an operator",
      description = "Why, for the record. Defaults to 'by an operator'.")
  private String reason = "by an operator";

  @Override
  protected int ask(Session session) {
    session.client().runs().cancel(id(), reason);
    return session.report(
        true,
        "Run %s is being cancelled; compensations and finally steps still run.".formatted(id()));
  }
}
