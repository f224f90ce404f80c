package dev.holdfast.cli.run;

import dev.holdfast.api.workflow.RunState;
import dev.holdfast.cli.connect.IdConverter;
import dev.holdfast.cli.connect.Paging;
import dev.holdfast.cli.connect.Query;
import dev.holdfast.cli.connect.Target;
import dev.holdfast.cli.ops.JobCommand;
import dev.holdfast.cli.print.Listing;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists or counts runs. */
@Command(name = "list", description = "List runs, newest first, or count them.")
public final class ListCommand implements Callable<Integer> {

  @Mixin private final Target target = new Target();
  @Mixin private final Paging paging = new Paging();

  @Option(
      names = "--state",
      split = ",",
      paramLabel = "STATE",
      description = "Select the runs in these states: ${COMPLETION-CANDIDATES}.")
  private final Set<RunState> states = EnumSet.noneOf(RunState.class);

  @Option(
      names = "--workflow",
      paramLabel = "NAME",
      description = "Select the runs of this workflow.")
  private @Nullable String workflow;

  @Option(names = "--tag", paramLabel = "WORD", description = "Select the runs with this tag.")
  private @Nullable String tag;

  @Option(
      names = "--parent",
      paramLabel = "ID",
      converter = IdConverter.OfRun.class,
      description = "Select the child runs of this run.")
  private @Nullable String parent;

  @Option(
      names = "--created-after",
      paramLabel = "TIME",
      description = "Select the runs started at this time or later, such as 2026-07-01T00:00:00Z.")
  private @Nullable Instant createdAfter;

  @Option(
      names = "--created-before",
      paramLabel = "TIME",
      description = "Select the runs started before this time.")
  private @Nullable Instant createdBefore;

  @Option(
      names = "--stranded",
      description = "Select the open runs that no live node can continue.")
  private boolean stranded;

  @Option(names = "--count", description = "Print the number of runs in each state instead.")
  private boolean count;

  @Override
  public Integer call() {
    Query query =
        new Query()
            .addAll("state", states)
            .add("workflow", workflow)
            .add("tag", tag)
            .add("parent", parent)
            .add("createdAfter", createdAfter)
            .add("createdBefore", createdBefore)
            .add("stranded", stranded ? true : null);
    return target.run(session ->
        count
            ? JobCommand.counts(
                session, session.get(session.path("runs", "counts") + query), "runs")
            : session.list(
                session.get(session.path("runs") + paging.to(query)),
                "runs",
                Listing.of("runs")
                    .column("id")
                    .column("workflow")
                    .column("state")
                    .column("steps", run -> RunJson.Steps.of(run).toString())
                    .time("created", "createdAt")
                    .column("label")
                    .column("reason")));
  }
}
