package dev.holdfast.cli.run;

import dev.holdfast.api.Page;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunFilter;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.RunStep;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.cli.ops.ClientCommand;
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
import picocli.CommandLine.Option;

/** Lists or counts runs. */
@Command(name = "list", description = "List runs, newest first, or count them.")
public final class ListCommand extends ClientCommand {

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
      converter = OneRunCommand.RunIdConverter.class,
      description = "Select the child runs of this run.")
  private @Nullable RunId parent;

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
      names = "--before",
      paramLabel = "ID",
      converter = OneRunCommand.RunIdConverter.class,
      description =
          "Select the runs older than this one. For the next page, give the last id of this page.")
  private @Nullable RunId before;

  @Option(
      names = "--limit",
      defaultValue = "20",
      description = "The maximum number of runs. Defaults to 20.")
  private int limit;

  @Option(names = "--count", description = "Print the number of runs in each state instead.")
  private boolean count;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  private RunFilter filter = RunFilter.all();
  private Page<RunId> page = Page.first(1);

  @Override
  protected void check() {
    filter = checked(this::filter);
    page = checked(() -> before == null ? Page.first(limit) : Page.after(before, limit));
  }

  private RunFilter filter() {
    RunFilter chosen = RunFilter.all().state(states.toArray(RunState[]::new));
    chosen = workflow == null ? chosen : chosen.workflow(workflow);
    chosen = tag == null ? chosen : chosen.tag(tag);
    chosen = parent == null ? chosen : chosen.childrenOf(parent);
    chosen = createdAfter == null ? chosen : chosen.createdAfter(createdAfter);
    return createdBefore == null ? chosen : chosen.createdBefore(createdBefore);
  }

  @Override
  protected int ask(Session session) {
    if (count) {
      return count(session);
    }
    List<Run> runs = session.client().runs().list(filter, page);
    if (json) {
      Json.print(runs.stream().map(RunView::brief).toList(), session.out());
      return DONE;
    }
    Table table = Table.of("id", "workflow", "state", "steps", "created", "label", "reason");
    for (Run run : runs) {
      table.row(
          run.id(),
          run.workflow(),
          run.state(),
          steps(run),
          run.createdAt().truncatedTo(ChronoUnit.SECONDS),
          run.label().orElse(""),
          run.reason().orElse(""));
    }
    table.print(session.out());
    if (runs.size() == limit) {
      session.out().printf("More may follow: --before %s%n", runs.getLast().id());
      session.out().flush();
    }
    return DONE;
  }

  /** Returns how many steps have ended, without compensations, most of which never run. */
  private static String steps(Run run) {
    List<RunStep> steps =
        run.steps().stream()
            .filter(
                step -> !step.kind().equals("compensation") || step.state() != StepState.PENDING)
            .toList();
    long ended = steps.stream().filter(step -> step.state().hasEnded()).count();
    return "%d of %d".formatted(ended, steps.size());
  }

  private int count(Session session) {
    Map<RunState, Long> counts = session.client().runs().count(filter);
    if (json) {
      Json.print(counts, session.out());
      return DONE;
    }
    Table table = Table.of("state", "runs").numbers("runs");
    counts.forEach(table::row);
    table.print(session.out());
    return DONE;
  }
}
