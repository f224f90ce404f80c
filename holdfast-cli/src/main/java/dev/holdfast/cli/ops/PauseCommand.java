package dev.holdfast.cli.ops;

import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Pauses a queue. */
@Command(name = "pause", description = "Let no node start jobs of a queue until it is resumed.")
public final class PauseCommand extends ClientCommand {

  @Parameters(paramLabel = "QUEUE", converter = QueueConverter.class, description = "The queue.")
  @SuppressWarnings("NullAway.Init")
  private String queue;

  @Option(
      names = "--force",
      description = "Pause it although it has no jobs, settings or node yet.")
  private boolean force;

  @Override
  int ask(Session session) {
    Optional<String> objection =
        force
            ? Optional.empty()
            : KnownNames.queues(session.client())
                .objection(queue, "To pause it before it has jobs or a node, add --force.");
    if (objection.isPresent()) {
      return session.answer(false, objection.get());
    }
    session.client().queues().pause(queue);
    return session.answer(true, "Queue '%s' is paused; jobs that run go on.".formatted(queue));
  }
}
