package dev.holdfast.cli.ops;

import dev.holdfast.api.job.JobId;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Makes a job ready, so that any free node can run it. */
@Command(
    name = "requeue",
    description =
        "Make a job ready, so that any free node can run it. A scheduled or failed job is ready at"
            + " once; a claimed job when its node has given it back.")
public final class RequeueCommand extends ClientCommand {

  @Parameters(
      paramLabel = "ID",
      converter = JobIdConverter.class,
      description = "The id of the job.")
  @SuppressWarnings("NullAway.Init")
  private JobId id;

  @Override
  protected int ask(Session session) {
    return switch (session.client().requeue(id)) {
      case READY -> session.report(true, "Job %s is ready.".formatted(id));
      case ALREADY_READY -> session.report(true, "Job %s was already ready.".formatted(id));
      case REQUESTED ->
          session.report(
              true,
              "Job %s is claimed; its node was told to give it back without using an attempt."
                  .formatted(id));
      case ENDED ->
          session.report(
              false, "Job %s has ended without failing, so it cannot be requeued.".formatted(id));
      case KEY_TAKEN ->
          session.report(
              false,
              "Another job that has not ended has the unique key of job %s; requeue it when that job has ended."
                  .formatted(id));
      case NOT_FOUND ->
          session.report(false, "There is no job %s, or its retention has expired.".formatted(id));
    };
  }
}
