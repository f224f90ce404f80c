package dev.holdfast.cli.ops;

import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobState;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that select jobs by queue, task and tag. */
final class FilterOptions {

  @Option(names = "--queue", paramLabel = "NAME", description = "Select the jobs of this queue.")
  private @Nullable String queue;

  @Option(names = "--task", paramLabel = "NAME", description = "Select the jobs of this task.")
  private @Nullable String task;

  @Option(names = "--tag", paramLabel = "WORD", description = "Select the jobs with this tag.")
  private @Nullable String tag;

  boolean isEmpty() {
    return queue == null && task == null && tag == null;
  }

  JobFilter filter(Set<JobState> states) {
    JobFilter filter = new JobFilter(states, null, null, null);
    filter = queue == null ? filter : filter.queue(queue);
    filter = task == null ? filter : filter.task(task);
    return tag == null ? filter : filter.tag(tag);
  }
}
