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
    description = "Delete jobs that failed permanently: all, or those that the options name.",
    footer = "Without --yes it only counts them.")
public final class PurgeCommand extends ClientCommand {

  @Mixin private final FilterOptions filter = new FilterOptions();

  @Option(names = "--yes", description = "Delete them. They cannot be brought back.")
  private boolean yes;

  @Override
  int ask(Session session) {
    JobFilter failed = filter.filter(Set.of(JobState.FAILED));
    if (yes) {
      return session.answer(
          true, "%d failed jobs were deleted.".formatted(session.client().purge(failed)));
    }
    long count = session.client().count(failed).getOrDefault(JobState.FAILED, 0L);
    return session.answer(
        false, "%d failed jobs would be deleted; nothing was. Add --yes.".formatted(count));
  }
}
