package dev.holdfast.cli.ops;

import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Pauses a queue. */
@Command(name = "pause", description = "Pause a queue: no node starts its jobs until 'resume'.")
public final class PauseCommand extends ClientCommand {

  @Parameters(
      paramLabel = "QUEUE",
      converter = QueueConverter.class,
      description = "The name of the queue.")
  @SuppressWarnings("NullAway.Init")
  private String queue;

  @Option(
      names = "--force",
      description = "Pause the queue even if it has no jobs, settings or node yet.")
  private boolean force;

  @Override
  protected int ask(Session session) {
    Optional<String> objection =
        force
            ? Optional.empty()
            : KnownNames.queues(session.client())
                .objection(queue, "Add --force to pause it before it has jobs or a node.");
    if (objection.isPresent()) {
      return session.report(false, objection.get());
    }
    session.client().queues().pause(queue);
    return session.report(true, "Queue '%s' is paused; running jobs continue.".formatted(queue));
  }
}
