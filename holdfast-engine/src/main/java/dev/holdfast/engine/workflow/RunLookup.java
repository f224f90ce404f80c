package dev.holdfast.engine.workflow;

import dev.holdfast.api.Counts;
import dev.holdfast.api.Page;
import dev.holdfast.api.UnknownRunException;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunFilter;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunItem;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.engine.store.JobQueries;
import dev.holdfast.engine.store.RunQueries;
import dev.holdfast.engine.store.RunRow;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads runs for clients: single ones with their steps, lists, counts and events. */
public final class RunLookup {
  private final RunQueries queries;
  private final JobQueries jobs;
  private final WorkflowCatalog catalog;

  public RunLookup(RunQueries queries, JobQueries jobs, WorkflowCatalog catalog) {
    this.queries = queries;
    this.jobs = jobs;
    this.catalog = catalog;
  }

  Optional<Run> find(RunId id) {
    return queries
        .find(id)
        .map(row -> {
          RunRow.Details details = queries.details(id);
          RunReader reader = new RunReader(row, stranded(List.of(row)).get(id));
          return catalog
              .readable(row)
              .map(graph -> reader.full(details, graph, questions()))
              .orElseGet(reader::unreadable);
        });
  }

  private StepWaits.Questions questions() {
    return new StepWaits.Questions(
        jobs::whyWaiting, child -> queries.find(child).map(RunRow::state));
  }

  List<RunItem> items(RunId id, String step) {
    RunRow row = row(id);
    GraphIndex index = catalog.index(row.definition(), row.hash());
    Integer at = index.position(step);
    if (at == null || !(index.node(at).work() instanceof Graph.Work.Map map)) {
      throw new IllegalArgumentException(
          at == null
              ? "Run %s of workflow '%s' has no step '%s'.".formatted(id, row.workflow(), step)
              : "Step '%s' of run %s is no map: only maps have elements.".formatted(step, id));
    }
    return new RunItems(row, index, queries.results(id))
        .of(at, map, queries.details(id).maps().get(at));
  }

  List<Run> list(RunFilter filter, Page<RunId> page) {
    List<RunRow> rows = queries.list(filter, page.after().orElse(null), page.limit());
    Map<RunId, String> stranded = stranded(rows);
    return rows.stream()
        .map(row -> {
          RunReader reader = new RunReader(row, stranded.get(row.id()));
          return catalog.readable(row).map(reader::brief).orElseGet(reader::unreadable);
        })
        .toList();
  }

  /** Returns why no live node can continue these runs, without those that one can continue. */
  private Map<RunId, String> stranded(List<RunRow> rows) {
    List<RunId> open =
        rows.stream().filter(row -> !row.state().hasEnded()).map(RunRow::id).toList();
    return open.isEmpty() ? Map.of() : queries.stranded(open);
  }

  Counts<RunState> count(RunFilter filter) {
    return queries.count(filter);
  }

  List<RunEvent> events(RunId id, Page<Long> page) {
    RunRow row = row(id);
    Graph graph = catalog.graph(row.definition(), row.hash());
    return queries.events(id, page.after().orElse(0L), page.limit()).stream()
        .map(stored -> event(stored, graph))
        .toList();
  }

  private static RunEvent event(RunQueries.StoredEvent stored, Graph graph) {
    int step = stored.event().step();
    return new RunEvent(
        stored.seq(),
        stored.at(),
        stored.event().kind(),
        step < 0 || step >= graph.steps().size() ? null : graph.steps().get(step).name(),
        stored.event().detail());
  }

  /**
   * Returns the row of a run.
   *
   * @throws UnknownRunException if there is none
   */
  RunRow row(RunId id) {
    return queries.find(id).orElseThrow(() -> new UnknownRunException(id));
  }

  /** Returns the stack of a job; null if it has none, or the job is not found. */
  @Nullable String stackOf(JobId id) {
    Job job = jobs.find(List.of(id)).get(id);
    return job == null ? null : job.stack();
  }
}
