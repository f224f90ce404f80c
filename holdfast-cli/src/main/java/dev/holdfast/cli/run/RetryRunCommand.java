package dev.holdfast.cli.run;

import picocli.CommandLine.Command;

/** Retries the failed steps of a run. */
@Command(
    name = "retry",
    description =
        "Retry the steps of a run that failed or were cancelled; those that succeeded keep their"
            + " outputs.")
public final class RetryRunCommand extends OneRunCommand {

  @Override
  protected int ask(Session session) {
    session.client().runs().retry(id());
    return session.report(
        true, "Run %s continues with the steps that did not succeed.".formatted(id()));
  }
}
