package dev.holdfast.testkit.memory;

import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.engine.codec.Utf8Length;
import dev.holdfast.engine.store.Definitions.Stored;
import dev.holdfast.engine.store.RunMark;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.RunQueries.StoredEvent;
import dev.holdfast.engine.store.StepRef;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The tables of runs, and the changes to them that several classes make.
 *
 * <p>A run is in exactly one of {@link #open} and {@link #ended}. All maps keep an order that does
 * not depend on hash codes, so that a simulation can be replayed.
 */
final class RunTables {
  /** How long a graph is retired before it is deleted. */
  private static final Duration RETIRED_FOR = Duration.ofHours(1);

  private static final Comparator<StepRef> BY_STEP =
      Comparator.comparing(StepRef::run)
          .thenComparingInt(StepRef::step)
          .thenComparingInt(StepRef::item);

  final NavigableMap<Integer, Stored> definitions = new TreeMap<>();

  /** When graphs were last used, and since when they are retired, by id. */
  final Map<Integer, Instant> used = new TreeMap<>();

  final Map<Integer, Instant> retired = new TreeMap<>();

  /** The ids of all graphs that were ever stored, by hash. */
  final Map<String, Integer> definitionIds = new TreeMap<>();

  final NavigableMap<RunId, StoredRun> open = new TreeMap<>();
  final NavigableMap<RunId, StoredRun> ended = new TreeMap<>();
  final NavigableMap<RunId, List<RunMark>> marks = new TreeMap<>();
  final NavigableMap<StepRef, StepResult> results = new TreeMap<>(BY_STEP);
  final NavigableMap<RunId, List<StoredEvent>> events = new TreeMap<>();
  final NavigableMap<RunId, List<Timer>> timers = new TreeMap<>();
  final NavigableMap<RunId, List<SentSignal>> signals = new TreeMap<>();
  final Map<Key, KeyHolder> keys = new LinkedHashMap<>();

  /** The runs that an advance has locked. */
  final NavigableSet<RunId> locked = new TreeSet<>();

  /** A timer: when it is due, it is replaced by a mark. */
  record Timer(int step, RunMark.Kind kind, Instant dueAt) {}

  /** A signal, and the step that has used it; null for none. */
  record SentSignal(String name, String id, @Nullable String payload, @Nullable Integer usedBy) {}

  /** A unique key and its workflow. */
  record Key(String workflow, String value, boolean windowed) {}

  /** The run that has a key, and until when; null for until it has ended. */
  record KeyHolder(RunId run, @Nullable Instant until) {}

  /** Returns a run, open or ended. */
  @Nullable StoredRun find(RunId id) {
    StoredRun run = open.get(id);
    return run == null ? ended.get(id) : run;
  }

  /**
   * Returns whether an advance has locked a run or one below it.
   *
   * @param own the runs that the caller itself has locked
   */
  boolean isLocked(@Nullable StoredRun run, Set<RunId> own) {
    return run != null
        && !locked.isEmpty()
        && tree(run).stream().anyMatch(each -> locked.contains(each.id) && !own.contains(each.id));
  }

  boolean isPaused(@Nullable StepRef step) {
    StoredRun run = step == null ? null : open.get(step.run());
    return run != null && run.state == RunState.PAUSED;
  }

  /** Leaves a mark on an open run. A QUEUED run has none: it gets one when there is room. */
  void mark(RunId id, RunMark mark) {
    StoredRun run = open.get(id);
    if (run != null && run.state != RunState.QUEUED) {
      marks.computeIfAbsent(id, key -> new ArrayList<>()).add(mark);
    }
  }

  /** Deletes the oldest marks of a run, as many as an advance has read. */
  void unmark(RunId id, int count) {
    marks.computeIfPresent(
        id,
        (run, list) -> {
          list.subList(0, Math.min(count, list.size())).clear();
          return list.isEmpty() ? null : list;
        });
  }

  /** Deletes the marks of a run that match. */
  void unmark(RunId id, Predicate<RunMark> which) {
    marks.computeIfPresent(
        id,
        (run, list) -> {
          list.removeIf(which);
          return list.isEmpty() ? null : list;
        });
  }

  void look(RunId id) {
    mark(id, RunMark.of(RunMark.Kind.LOOK, -1));
  }

  boolean isMarked(RunId id) {
    return marks.containsKey(id);
  }

  /**
   * Writes the result and the mark of a job that ended. A result that exists is kept.
   *
   * @param marked whether a mark is needed, because the run is not advanced together with this
   */
  void stepEnded(JobRow row, boolean marked, Instant now) {
    if (row.step != null && open.containsKey(row.step.run())) {
      StepResult result = StepResult.of(row, now);
      put(row.step, result);
      if (marked) {
        mark(row.step.run(), result.mark(row.step.step()));
      }
    }
  }

  /** Writes a result, unless the step has one. */
  void put(StepRef step, StepResult result) {
    StoredRun run = find(step.run());
    if (results.putIfAbsent(step, result) == null && run != null) {
      run.bytes += result.bytes();
    }
  }

  /**
   * Writes a result that a plan contains, also if the step has another one: a step can fail
   * although its job succeeded. The output that is replaced counts until the run is retried.
   */
  void replace(StoredRun run, RunPlan.Result planned, Instant now) {
    StepResult result = StepResult.of(planned, now);
    results.merge(
        new StepRef(run.id, planned.step(), planned.item()), result, StepResult::replacedBy);
    run.bytes += result.bytes();
  }

  /** Counts the outputs and large payloads that a run has. */
  void recount(StoredRun run) {
    run.bytes =
        resultsOf(run.id).values().stream().mapToLong(StepResult::bytes).sum()
            + run.largePayloads.stream().mapToLong(Utf8Length::bytes).sum();
  }

  /** Returns the results of a run, in the order of steps and items. */
  NavigableMap<StepRef, StepResult> resultsOf(RunId run) {
    return results.subMap(
        new StepRef(run, Integer.MIN_VALUE, Integer.MIN_VALUE),
        true,
        new StepRef(run, Integer.MAX_VALUE, Integer.MAX_VALUE),
        true);
  }

  /** Returns the results of a step: one, or those of the jobs of a map. */
  NavigableMap<StepRef, StepResult> resultsOf(RunId run, int step) {
    return results.subMap(
        new StepRef(run, step, Integer.MIN_VALUE),
        true,
        new StepRef(run, step, Integer.MAX_VALUE),
        true);
  }

  /** Returns the number of the last event of a run; 0 for none. */
  long lastEvent(RunId run) {
    return events.getOrDefault(run, List.of()).size();
  }

  /** Appends an event. Its number is the next one of the run. */
  void event(RunId run, RunPlan.Event event, Instant now) {
    List<StoredEvent> list = events.computeIfAbsent(run, key -> new ArrayList<>());
    list.add(new StoredEvent(list.size() + 1L, now, event));
  }

  void event(RunId run, RunEvent.Kind kind, @Nullable String detail, Instant now) {
    event(run, new RunPlan.Event(kind, -1, detail), now);
  }

  /** Returns when timers are due. */
  Stream<Instant> times() {
    return timers.values().stream().flatMap(List::stream).map(Timer::dueAt);
  }

  void set(RunId run, Timer timer) {
    List<Timer> list = timers.computeIfAbsent(run, key -> new ArrayList<>());
    list.removeIf(other -> other.step() == timer.step() && other.kind() == timer.kind());
    list.add(timer);
  }

  void untime(RunId run, int step) {
    timers.computeIfPresent(
        run,
        (key, list) -> {
          list.removeIf(timer -> timer.step() == step);
          return list.isEmpty() ? null : list;
        });
  }

  /** Returns the child runs of a run, open and ended, in the order of their ids. */
  List<StoredRun> childrenOf(RunId id) {
    NavigableMap<RunId, StoredRun> all = new TreeMap<>(open);
    all.putAll(ended);
    return all.values().stream()
        .filter(run -> run.parent != null && run.parent.run().equals(id))
        .toList();
  }

  /** Returns an open run and the open runs below it, parents first. */
  List<StoredRun> tree(StoredRun root) {
    List<StoredRun> tree = new ArrayList<>(List.of(root));
    for (int i = 0; i < tree.size(); i++) {
      childrenOf(tree.get(i).id).stream()
          .filter(child -> open.containsKey(child.id))
          .forEach(tree::add);
    }
    return tree;
  }

  /** Returns the run that has a unique key now. */
  @Nullable RunId holder(Key key, Instant now) {
    KeyHolder holder = keys.get(key);
    return holder == null || (holder.until() != null && !holder.until().isAfter(now))
        ? null
        : holder.run();
  }

  void takeKey(StoredRun run, Instant now) {
    Key key = keyOf(run);
    if (key != null && run.unique != null) {
      keys.put(
          key,
          new KeyHolder(
              run.id, run.unique.window() == null ? null : now.plus(run.unique.window())));
    }
  }

  /** Releases the key of a run that ended, if it is taken only while the run is open. */
  void freeKey(StoredRun run) {
    Key key = keyOf(run);
    if (key != null && !key.windowed()) {
      keys.remove(key);
    }
  }

  static @Nullable Key keyOf(StoredRun run) {
    return run.unique == null
        ? null
        : new Key(run.workflow, run.unique.value(), run.unique.window() != null);
  }

  /** Retires graphs that are not used, and deletes those that have been retired for an hour. */
  void forgetDefinitions(Instant usedBefore, Instant now) {
    open.values()
        .forEach(run -> {
          used.put(run.definition, now);
          retired.remove(run.definition);
        });
    for (Stored stored : List.copyOf(definitions.values())) {
      boolean isPart =
          definitions.values().stream()
              .anyMatch(other ->
                  other.id() != stored.id() && other.definition().body().contains(stored.hash()));
      Instant since = retired.get(stored.id());
      Instant last = used.get(stored.id());
      if (since != null && since.plus(RETIRED_FOR).isBefore(now) && !isPart) {
        definitions.remove(stored.id());
      } else if (since == null && last != null && last.isBefore(usedBefore) && !isPart) {
        retired.put(stored.id(), now);
      }
    }
  }

  /** Deletes the ended runs that match, with everything that belongs to them. */
  void forget(Instant endedBefore, Instant now) {
    for (StoredRun run : List.copyOf(ended.values())) {
      boolean isChild = run.parent != null && find(run.parent.run()) != null;
      if (run.endedAt != null && !run.endedAt.isAfter(endedBefore) && !isChild) {
        ended.remove(run.id);
        resultsOf(run.id).clear();
        events.remove(run.id);
        signals.remove(run.id);
      }
    }
    keys.values().removeIf(holder -> holder.until() != null && !holder.until().isAfter(now));
  }
}
