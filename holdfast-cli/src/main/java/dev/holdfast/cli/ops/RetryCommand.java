package dev.holdfast.cli.ops;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs dead-lettered jobs again. */
@Command(name = "retry", description = "Run a dead-lettered job again, or all of them with --all.")
public final class RetryCommand extends ClientCommand {

  @Parameters(
      paramLabel = "ID",
      arity = "0..1",
      converter = JobIdConverter.class,
      description = "The id of the job.")
  private @Nullable JobId id;

  @Option(
      names = "--all",
      description = "Retry all dead-lettered jobs, or those that the other options select.")
  private boolean all;

  @Mixin private final FilterOptions filter = new FilterOptions();

  @Override
  protected void check() {
    if ((id == null) == !all) {
      throw wrongUse("Use either the ID of a job or --all.");
    }
    if (!all && !filter.isEmpty()) {
      throw wrongUse("--queue, --task and --tag can only be used with --all.");
    }
  }

  @Override
  protected int ask(Session session) {
    if (id != null) {
      return retry(session, id);
    }
    long retried = session.client().retryAll(filter.filter(Set.of(JobState.FAILED)));
    return session.report(true, "%d jobs are ready again.".formatted(retried));
  }

  private static int retry(Session session, JobId id) {
    return switch (session.client().retry(id)) {
      case READY -> session.report(true, "Job %s is ready again.".formatted(id));
      case NOT_FAILED ->
          session.report(
              false, "Job %s is not dead-lettered, so it cannot be retried.".formatted(id));
      case KEY_TAKEN ->
          session.report(
              false,
              "Another job that has not ended has the unique key of job %s; retry it when that job has ended."
                  .formatted(id));
      case NOT_FOUND ->
          session.report(false, "There is no job %s, or its retention has expired.".formatted(id));
    };
  }
}
