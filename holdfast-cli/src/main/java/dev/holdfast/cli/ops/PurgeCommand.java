package dev.holdfast.cli.ops;

import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobState;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Deletes dead-lettered jobs. */
@Command(
    name = "purge",
    description = "Delete dead-lettered jobs: all, or those that the options select.",
    footer = "Without --yes the command only counts the jobs.")
public final class PurgeCommand extends ClientCommand {

  @Mixin private final FilterOptions filter = new FilterOptions();

  @Option(names = "--yes", description = "Delete the jobs. This cannot be undone.")
  private boolean yes;

  @Override
  protected int ask(Session session) {
    JobFilter failed = filter.filter(Set.of(JobState.FAILED));
    if (yes) {
      return session.report(
          true, "%d dead-lettered jobs were deleted.".formatted(session.client().purge(failed)));
    }
    long count = session.client().count(failed).getOrDefault(JobState.FAILED, 0L);
    return session.report(
        false,
        "%d dead-lettered jobs would be deleted. Nothing was deleted; add --yes to delete them."
            .formatted(count));
  }
}
