package dev.holdfast.engine.store;

import dev.holdfast.api.Counts;
import dev.holdfast.api.workflow.RunFilter;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads runs. */
public interface RunQueries {

  /** Finds a run, open or ended. */
  Optional<RunRow> find(RunId id);

  /** Finds the open run of a workflow that has a unique key. */
  Optional<RunId> findActive(String workflow, String uniqueKey);

  /** Reads the results of all steps of a run, with those of the jobs of maps, for a rerun. */
  List<RunPlan.Result> results(RunId id);

  /** Reads what belongs to a run besides its row. */
  RunRow.Details details(RunId id);

  /**
   * Returns why no live node can continue runs, for those of the given ones that are open and of
   * which this is so. {@link dev.holdfast.engine.rule.StrandedRuns} decides.
   */
  Map<RunId, String> stranded(Collection<RunId> ids);

  /** Lists runs, newest first, at most the given number, after the given one. */
  List<RunRow> list(RunFilter filter, @Nullable RunId after, int limit);

  /** Counts runs by state, up to {@link JobQueries#MOST_COUNTED}. */
  default Counts<RunState> count(RunFilter filter) {
    return count(filter, JobQueries.MOST_COUNTED);
  }

  /**
   * Counts runs by state. Counting stops at a bound.
   *
   * @param most the maximum number in each state
   * @return the numbers, and the states of which there are more, or may be because the store looked
   *     only at some
   */
  Counts<RunState> count(RunFilter filter, int most);

  /**
   * An event as stored.
   *
   * @param seq its number in the run: 1 for the first event
   */
  record StoredEvent(long seq, Instant at, RunPlan.Event event) {}

  /** Lists the events of a run after a number, oldest first, at most the given number. */
  List<StoredEvent> events(RunId id, long after, int limit);
}
