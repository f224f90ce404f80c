package dev.holdfast.cli.ops;

import dev.holdfast.cli.connect.ExitCode;
import dev.holdfast.cli.connect.Group;
import dev.holdfast.cli.connect.IdConverter;
import dev.holdfast.cli.connect.Paging;
import dev.holdfast.cli.connect.Query;
import dev.holdfast.cli.connect.Target;
import dev.holdfast.cli.print.Value;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Lists, retries and deletes dead-lettered jobs. */
@Command(
    name = "dlq",
    description = "List, retry and purge the dead-letter queue: jobs that failed permanently.",
    synopsisSubcommandLabel = "COMMAND")
public final class DlqCommand extends Group {

  @Command(name = "list", description = "List dead-lettered jobs, newest first.")
  int list(@Mixin Target target, @Mixin FilterOptions filter, @Mixin Paging paging) {
    Query query = paging.to(filter.to(new Query().add("state", "FAILED")));
    return target.run(session ->
        session.list(session.get(session.path("jobs") + query), "jobs", JobCommand.table()));
  }

  @Command(
      name = "retry",
      description = "Run a dead-lettered job again, or all of them with --all.")
  int retry(
      @Mixin Target target,
      @Mixin FilterOptions filter,
      @Parameters(
              paramLabel = "ID",
              arity = "0..1",
              converter = IdConverter.OfJob.class,
              description = "The id of the job.")
          @Nullable String id,
      @Option(
              names = "--all",
              description = "Retry all dead-lettered jobs, or those that the other options select.")
          boolean all) {
    if ((id == null) == !all) {
      throw target.wrongUse("Use either the ID of a job or --all.");
    }
    if (!all && !filter.isEmpty()) {
      throw target.wrongUse("Options that select jobs can only be used with --all.");
    }
    return target.run(session -> {
      if (id != null) {
        return session.done(
            session.post(session.path("jobs", id, "retry")),
            "Job %s is ready again.".formatted(id));
      }
      JsonNode result = session.post(session.path("dead-letters", "retry"), filter.body());
      return session.done(
          result, "%s jobs are ready again.".formatted(Value.text(result, "count")));
    });
  }

  @Command(
      name = "purge",
      description = "Delete dead-lettered jobs: all, or those that the options select.",
      footer = "Without --yes the command only counts the jobs, and its exit code is 1.")
  int purge(
      @Mixin Target target,
      @Mixin FilterOptions filter,
      @Option(names = "--yes", description = "Delete the jobs. This cannot be undone.")
          boolean yes) {
    return target.run(session -> {
      if (yes) {
        JsonNode result = session.post(session.path("dead-letters", "purge"), filter.body());
        return session.done(
            result, "%s dead-lettered jobs were deleted.".formatted(Value.text(result, "count")));
      }
      Query query = filter.to(new Query().add("state", "FAILED"));
      JsonNode counts = session.get(session.path("jobs", "counts") + query);
      session.done(
          counts,
          "%s dead-lettered jobs would be deleted. Nothing was deleted; add --yes to delete them."
              .formatted(JobCommand.count(counts, "FAILED")));
      return ExitCode.FAILED.number();
    });
  }
}
