package dev.holdfast.cli.ops;

import dev.holdfast.api.job.JobId;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Lets a job be run by whoever is free. */
@Command(
    name = "requeue",
    description =
        "Let a job be run by whoever is free: at once if it waits or failed, when its node gives it"
            + " back if it is held.")
public final class RequeueCommand extends ClientCommand {

  @Parameters(paramLabel = "ID", converter = JobIdConverter.class, description = "The job.")
  @SuppressWarnings("NullAway.Init")
  private JobId id;

  @Override
  int ask(Session session) {
    return switch (session.client().requeue(id)) {
      case READY -> session.answer(true, "Job %s is ready.".formatted(id));
      case ALREADY_READY -> session.answer(true, "Job %s was ready before.".formatted(id));
      case REQUESTED ->
          session.answer(
              true,
              "Job %s is held; its node was told to give it back, with nothing spent."
                  .formatted(id));
      case ENDED -> session.answer(false, "Job %s has ended and did not fail.".formatted(id));
      case KEY_TAKEN ->
          session.answer(false, "Another live job has the unique key of job %s.".formatted(id));
      case NOT_FOUND ->
          session.answer(false, "There is no job %s, or it is no longer kept.".formatted(id));
    };
  }
}
