package dev.holdfast.cli.run;

import picocli.CommandLine.Command;

/** Resumes a paused run. */
@Command(name = "resume", description = "Resume a paused run and its child runs.")
public final class ResumeRunCommand extends OneRunCommand {

  @Override
  protected int ask(Session session) {
    session.client().runs().resume(id());
    return session.report(true, "Run %s is resumed.".formatted(id()));
  }
}
