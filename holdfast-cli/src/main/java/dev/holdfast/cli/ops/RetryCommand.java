package dev.holdfast.cli.ops;

import dev.holdfast.api.job.JobId;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Runs a dead-lettered job again. */
@Command(name = "retry", description = "Run a job again that failed for good.")
public final class RetryCommand extends ClientCommand {

  @Parameters(paramLabel = "ID", converter = JobIdConverter.class, description = "The job.")
  @SuppressWarnings("NullAway.Init")
  private JobId id;

  @Override
  int ask(Session session) {
    return switch (session.client().retry(id)) {
      case READY -> session.answer(true, "Job %s is ready again.".formatted(id));
      case NOT_FAILED ->
          session.answer(
              false, "Job %s did not fail for good, so it is not retried.".formatted(id));
      case KEY_TAKEN ->
          session.answer(
              false,
              "Another job holds the unique key of job %s; retry when that has ended."
                  .formatted(id));
      case NOT_FOUND ->
          session.answer(false, "There is no job %s, or it is no longer kept.".formatted(id));
    };
  }
}
