package dev.holdfast.cli.ops;

import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobState;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that select jobs by queue, task, tag and creation time. */
final class FilterOptions {

  @Option(names = "--queue", paramLabel = "NAME", description = "Select the jobs of this queue.")
  private @Nullable String queue;

  @Option(names = "--task", paramLabel = "NAME", description = "Select the jobs of this task.")
  private @Nullable String task;

  @Option(names = "--tag", paramLabel = "WORD", description = "Select the jobs with this tag.")
  private @Nullable String tag;

  @Option(
      names = "--created-after",
      paramLabel = "TIME",
      description = "Select the jobs enqueued at this time or later, such as 2026-07-01T00:00:00Z.")
  private @Nullable Instant createdAfter;

  @Option(
      names = "--created-before",
      paramLabel = "TIME",
      description = "Select the jobs enqueued before this time.")
  private @Nullable Instant createdBefore;

  boolean isEmpty() {
    return filter(Set.of()).equals(JobFilter.all());
  }

  JobFilter filter(Set<JobState> states) {
    JobFilter filter = JobFilter.all().states(states);
    filter = queue == null ? filter : filter.queue(queue);
    filter = task == null ? filter : filter.task(task);
    filter = tag == null ? filter : filter.tag(tag);
    filter = createdAfter == null ? filter : filter.createdAfter(createdAfter);
    return createdBefore == null ? filter : filter.createdBefore(createdBefore);
  }
}
