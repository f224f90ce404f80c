package dev.holdfast.cli.ops;

import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Resumes a queue. */
@Command(name = "resume", description = "Resume a paused queue.")
public final class ResumeCommand extends ClientCommand {

  @Parameters(
      paramLabel = "QUEUE",
      converter = QueueConverter.class,
      description = "The name of the queue.")
  @SuppressWarnings("NullAway.Init")
  private String queue;

  @Override
  protected int ask(Session session) {
    Optional<String> objection = KnownNames.queues(session.client()).objection(queue, "");
    if (objection.isPresent()) {
      return session.report(false, objection.get());
    }
    session.client().queues().resume(queue);
    return session.report(true, "Queue '%s' is no longer paused.".formatted(queue));
  }
}
