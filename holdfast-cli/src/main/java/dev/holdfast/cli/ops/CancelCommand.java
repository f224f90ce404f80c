package dev.holdfast.cli.ops;

import dev.holdfast.api.job.JobId;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Cancels a job. */
@Command(
    name = "cancel",
    description =
        "Cancel a job. A job that has not started is cancelled at once; a running job is"
            + " interrupted by its node.")
public final class CancelCommand extends ClientCommand {

  @Parameters(
      paramLabel = "ID",
      converter = JobIdConverter.class,
      description = "The id of the job.")
  @SuppressWarnings("NullAway.Init")
  private JobId id;

  @Override
  protected int ask(Session session) {
    return switch (session.client().cancel(id)) {
      case CANCELLED ->
          session.report(true, "Job %s is cancelled; it had not started.".formatted(id));
      case REQUESTED ->
          session.report(
              true, "Job %s is running; its node was told to interrupt it.".formatted(id));
      case ALREADY_ENDED -> session.report(false, "Job %s had already ended.".formatted(id));
      case NOT_FOUND ->
          session.report(false, "There is no job %s, or its retention has expired.".formatted(id));
    };
  }
}
