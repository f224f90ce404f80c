package dev.holdfast.cli.ops;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Pauses a queue. */
@Command(name = "pause", description = "Let no node begin jobs of a queue until it is resumed.")
public final class PauseCommand extends ClientCommand {

  @Parameters(paramLabel = "QUEUE", converter = QueueConverter.class, description = "The queue.")
  @SuppressWarnings("NullAway.Init")
  private String queue;

  @Override
  int ask(Session session) {
    session.client().queues().pause(queue);
    return session.answer(true, "Queue '%s' is paused; jobs that run go on.".formatted(queue));
  }
}
