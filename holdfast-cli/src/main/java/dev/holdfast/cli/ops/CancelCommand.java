package dev.holdfast.cli.ops;

import dev.holdfast.api.job.JobId;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Cancels a job. */
@Command(
    name = "cancel",
    description = "Cancel a job: at once if it has not begun, by interrupting it if it runs.")
public final class CancelCommand extends ClientCommand {

  @Parameters(paramLabel = "ID", converter = JobIdConverter.class, description = "The job.")
  @SuppressWarnings("NullAway.Init")
  private JobId id;

  @Override
  int ask(Session session) {
    return switch (session.client().cancel(id)) {
      case CANCELLED ->
          session.answer(true, "Job %s is cancelled; it had not begun.".formatted(id));
      case REQUESTED ->
          session.answer(true, "Job %s runs; its node was told to stop it.".formatted(id));
      case ALREADY_ENDED -> session.answer(false, "Job %s had ended before.".formatted(id));
      case NOT_FOUND ->
          session.answer(false, "There is no job %s, or it is no longer kept.".formatted(id));
    };
  }
}
