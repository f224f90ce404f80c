package dev.holdfast.cli.ops;

import dev.holdfast.api.Page;
import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Table;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists or counts jobs. */
@Command(name = "jobs", description = "List jobs, newest first, or count them.")
public final class JobsCommand extends ClientCommand {

  @Option(
      names = "--state",
      split = ",",
      paramLabel = "STATE",
      description = "Select the jobs in these states: ${COMPLETION-CANDIDATES}.")
  private final Set<JobState> states = EnumSet.noneOf(JobState.class);

  @Mixin private final FilterOptions filter = new FilterOptions();

  @Option(
      names = "--before",
      paramLabel = "ID",
      converter = JobIdConverter.class,
      description =
          "Select the jobs older than this one. For the next page, give the last id of this page.")
  private @Nullable JobId before;

  @Option(
      names = "--limit",
      defaultValue = "20",
      description = "The maximum number of jobs. Defaults to 20.")
  private int limit;

  @Option(names = "--count", description = "Print the number of jobs in each state instead.")
  private boolean count;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  protected int ask(Session session) {
    if (count) {
      return count(session);
    }
    List<Job> jobs =
        session
            .client()
            .list(filter(), before == null ? Page.first(limit) : Page.after(before, limit));
    if (json) {
      Json.print(jobs, session.out());
      return DONE;
    }
    Table table =
        Table.of("id", "task", "queue", "state", "attempt", "created", "last failure")
            .numbers("attempt");
    for (Job job : jobs) {
      table.row(
          job.id(),
          job.task(),
          job.queue(),
          job.state(),
          job.attempt(),
          toSecond(job.createdAt()),
          job.lastFailure().map(FailedAttempt::code).orElse(""));
    }
    table.print(session.out());
    return DONE;
  }

  private int count(Session session) {
    Map<JobState, Long> counts = session.client().count(filter());
    if (json) {
      Json.print(counts, session.out());
      return DONE;
    }
    Table table = Table.of("state", "jobs").numbers("jobs");
    counts.forEach(table::row);
    table.print(session.out());
    return DONE;
  }

  private JobFilter filter() {
    return filter.filter(states);
  }

  private static Instant toSecond(Instant time) {
    return time.truncatedTo(ChronoUnit.SECONDS);
  }
}
