package dev.holdfast.cli.ops;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Resumes a queue. */
@Command(name = "resume", description = "Let nodes begin jobs of a paused queue again.")
public final class ResumeCommand extends ClientCommand {

  @Parameters(paramLabel = "QUEUE", converter = QueueConverter.class, description = "The queue.")
  @SuppressWarnings("NullAway.Init")
  private String queue;

  @Override
  int ask(Session session) {
    session.client().queues().resume(queue);
    return session.answer(true, "Queue '%s' goes on.".formatted(queue));
  }
}
