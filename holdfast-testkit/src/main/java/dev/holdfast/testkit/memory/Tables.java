package dev.holdfast.testkit.memory;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.rule.EligibleNodes.Candidate;
import dev.holdfast.engine.rule.StrandedRuns;
import dev.holdfast.engine.rule.StrandedRuns.Mismatch;
import dev.holdfast.engine.rule.StrandedRuns.Ready;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Definitions.Stored;
import dev.holdfast.engine.store.NodeStore.PastHeartbeat;
import dev.holdfast.engine.store.QueueStore.Rule;
import dev.holdfast.engine.store.ScheduleStore.Declaration;
import dev.holdfast.engine.store.Suspicion;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The tables of the store, and the moves of jobs between them.
 *
 * <p>A job is in exactly one of {@link #live}, {@link #history} and {@link #deadLetter}; it is in
 * {@link #ready} too while its state is READY, in the order in which jobs are claimed. All maps
 * keep an order that does not depend on hash codes, so that a simulation can be replayed.
 */
final class Tables {
  /** How often a transaction looks for a lock before it gives up, as after a lock timeout. */
  private static final int MOST_WAITS = 500;

  private final InstantSource clock;
  private final Duration aging;
  private final @Nullable Runnable betweenStatements;
  private long lastSequence;

  final Map<JobId, JobRow> live = new LinkedHashMap<>();
  final NavigableSet<JobRow> ready =
      new TreeSet<>(
          Comparator.comparing((JobRow row) -> row.rank).thenComparingLong(row -> row.sequence));
  final Map<JobId, JobRow> history = new LinkedHashMap<>();
  final Map<JobId, JobRow> deadLetter = new LinkedHashMap<>();
  final Keys keys = new Keys();

  /** The enqueues that were repeated, and when. */
  final Map<JobId, Instant> repeats = new LinkedHashMap<>();

  final Map<String, Rule> rules = new TreeMap<>();
  final Map<String, Pause> pauses = new TreeMap<>();
  final Map<String, TaskRow> taskRules = new TreeMap<>();
  final Map<UUID, NodeRow> nodes = new LinkedHashMap<>();
  final List<KeptHeartbeat> heartbeats = new ArrayList<>();
  final List<Note> declarations = new ArrayList<>();
  final NavigableMap<String, LeaseRow> leases = new TreeMap<>();
  final RunTables runs = new RunTables();

  /** A declaration of a schedule, and the incarnation that made it. */
  record Note(UUID incarnation, String application, Declaration declaration) {}

  /** A record of a heartbeat, and until when it is kept. */
  record KeptHeartbeat(PastHeartbeat beat, Instant until) {}

  /**
   * @param betweenStatements lets others run between the statements of a transaction; null if
   *     transactions are exclusive
   */
  Tables(InstantSource clock, Duration aging, @Nullable Runnable betweenStatements) {
    this.clock = clock;
    this.aging = aging;
    this.betweenStatements = betweenStatements;
  }

  /** Runs an action exclusively, at one point in time: a transaction of one statement. */
  synchronized <T> T transaction(Function<Instant, T> work) {
    return work.apply(clock.instant());
  }

  /** Returns the nodes that are alive. */
  List<Candidate> living() {
    return nodes.values().stream()
        .filter(node -> node.alive)
        .map(node ->
            new Candidate(
                node.registration.id(),
                node.registration.queues(),
                node.registration.tasks(),
                node.registration.serves(),
                node.modes,
                node.lost.lanes(),
                node.registration.graphFormat()))
        .toList();
  }

  /** Returns why no live node can continue a run; empty if one can, or if the run has ended. */
  Optional<String> stranding(RunId id) {
    StoredRun run = runs.open.get(id);
    Stored graph = run == null ? null : runs.definitions.get(run.definition);
    if (graph == null) {
      return Optional.empty();
    }
    List<Ready> jobs =
        ready.stream()
            .filter(row -> row.step != null && row.step.run().equals(id))
            .sorted(Comparator.comparingInt(row -> Objects.requireNonNull(row.step).step()))
            .map(row -> new Ready(row.queue, row.task, row.stack))
            .toList();
    List<Mismatch> mismatches =
        live.values().stream()
            .filter(row -> row.step != null && row.step.run().equals(id))
            .sorted(Comparator.comparingInt(row -> Objects.requireNonNull(row.step).step()))
            .flatMap(row -> mismatch(row).stream())
            .toList();
    return StrandedRuns.reason(graph.definition().format(), jobs, mismatches, living());
  }

  private Optional<Mismatch> mismatch(JobRow row) {
    boolean startable = row.state == JobState.SCHEDULED || row.state == JobState.READY;
    if (!startable || row.failures.isEmpty() || !isMismatch(row.failures.getLast())) {
      return Optional.empty();
    }
    Set<String> tried =
        nodes.values().stream()
            .filter(node -> node.alive)
            .filter(node ->
                row.failures.stream()
                    .filter(Tables::isMismatch)
                    .filter(failure -> failure.node().equals(node.registration.id()))
                    .anyMatch(failure -> !failure.failedAt().isBefore(node.startedAt)))
            .map(node -> node.registration.id())
            .collect(Collectors.toSet());
    return Optional.of(
        new Mismatch(row.queue, row.task, row.stack, tried, row.failures.getLast().message()));
  }

  private static boolean isMismatch(FailedAttempt failure) {
    return failure.code().equals(FailureCode.JOURNAL_MISMATCH);
  }

  /**
   * Runs a transaction of several statements, each a {@link #transaction}. Others see nothing of it
   * before its last statement, which is the only one that writes.
   */
  <T> T statements(Supplier<T> work) {
    return betweenStatements == null ? transaction(now -> work.get()) : work.get();
  }

  /** Ends a statement: what follows sees what others have written meanwhile. */
  void nextStatement() {
    if (betweenStatements != null) {
      betweenStatements.run();
    }
  }

  /** Runs a statement as soon as no other transaction has locked what it changes. */
  <T> T whenUnlocked(BooleanSupplier locked, Function<Instant, T> work) {
    for (int waits = 0; waits < MOST_WAITS; waits++) {
      Optional<T> done =
          transaction(
              now -> locked.getAsBoolean() ? Optional.empty() : Optional.of(work.apply(now)));
      if (done.isPresent()) {
        return done.get();
      }
      nextStatement();
    }
    throw new StoreException(
        StoreException.Outcome.RETRYABLE,
        "Another transaction has locked the run for too long.",
        null);
  }

  /** Returns the number of the next job to insert. */
  long nextSequence() {
    return ++lastSequence;
  }

  /** Inserts a new job. */
  void insert(JobRow row, Instant now) {
    live.put(row.id, row);
    keys.take(row, now);
    queue(row, now);
  }

  /** Makes a live job SCHEDULED or, if it is due, READY; ON_HOLD if its run is paused. */
  void queue(JobRow row, Instant now) {
    leaveReady(row);
    row.waitsFor = null;
    if (runs.isPaused(row.step)) {
      putOnHold(row);
    } else if (row.isDue(now)) {
      row.rank = row.runAt.minus(aging.multipliedBy(row.priority));
      enterReady(row);
    } else {
      row.state = JobState.SCHEDULED;
    }
  }

  /** Marks a job as claimed by a node. */
  void hold(JobRow row, NodeRow node, long claimNo) {
    leaveReady(row);
    row.state = JobState.CLAIMED;
    row.token++;
    row.holder = node.registration.incarnation();
    row.node = node.registration.id();
    row.claimNo = claimNo;
    row.releaseRequested = false;
  }

  /** Marks a claimed job as running. */
  void start(JobRow row, Instant now) {
    row.state = JobState.RUNNING;
    row.attempt++;
    row.startedAt = now;
  }

  /** Returns a held job to its queue, at its previous position; ON_HOLD if its run is paused. */
  void putBack(JobRow row) {
    row.holder = null;
    if (runs.isPaused(row.step)) {
      putOnHold(row);
    } else {
      enterReady(row);
    }
  }

  /** Lets a job wait without a holder until it is due; ON_HOLD if its run is paused. */
  void park(JobRow row, @Nullable String signal) {
    row.holder = null;
    row.waitsFor = signal;
    row.state = JobState.WAITING;
    if (runs.isPaused(row.step)) {
      putOnHold(row);
    }
  }

  /** Ends the wait of a job; a job on hold continues when its run is resumed. */
  void wake(JobRow row, Instant now) {
    row.waitsFor = null;
    row.runAt = now;
    if (row.state == JobState.ON_HOLD) {
      row.heldFrom = JobState.READY;
    } else {
      queue(row, now);
    }
  }

  /** Keeps a job that has not started from starting, because its run is paused. */
  void putOnHold(JobRow row) {
    leaveReady(row);
    row.heldFrom = row.state;
    row.state = JobState.ON_HOLD;
    row.holder = null;
  }

  /** Lets a job on hold continue where it was. */
  void release(JobRow row, Instant now) {
    if (row.heldFrom == JobState.WAITING) {
      row.state = JobState.WAITING;
    } else {
      queue(row, now);
    }
    row.heldFrom = null;
  }

  /** Ends a live job. A step leaves its result and a mark on its run. */
  void end(JobRow row, JobState how, Instant now) {
    end(row, how, true, now);
  }

  /** Ends a job that has succeeded, and whose run is advanced in the same transaction. */
  void endAdvanced(JobRow row, Instant now) {
    end(row, JobState.SUCCEEDED, false, now);
  }

  private void end(JobRow row, JobState how, boolean marked, Instant now) {
    leaveReady(row);
    live.remove(row.id);
    keys.free(row);
    row.state = how;
    row.holder = null;
    row.endedAt = now;
    row.waitsFor = null;
    // A job that is retried continues with its journal, and so does the step of a retried run.
    if (how != JobState.FAILED && (how != JobState.CANCELLED || row.step == null)) {
      row.journal.clear();
      row.signals.clear();
    }
    (how == JobState.FAILED ? deadLetter : history).put(row.id, row);
    runs.stepEnded(row, marked, now);
  }

  /** Revives a job that failed or, if a run repeats it, was cancelled: due now, no attempts. */
  void revive(JobRow row, Instant now) {
    deadLetter.remove(row.id);
    history.remove(row.id);
    live.put(row.id, row);
    keys.retake(row);
    row.attempt = 0;
    row.crashes = 0;
    row.fencings = 0;
    row.suspicion = Suspicion.NONE;
    row.cancelRequested = false;
    row.endedAt = null;
    row.startBy = null;
    row.runAt = now;
    queue(row, now);
  }

  /** Returns the row of a claim, if the claim is still valid. */
  @Nullable JobRow heldBy(UUID incarnation, ClaimId claim) {
    JobRow row = live.get(claim.id());
    return row != null
            && row.state.isHeld()
            && incarnation.equals(row.holder)
            && row.token == claim.token()
        ? row
        : null;
  }

  /** Returns a job in any state. */
  @Nullable JobRow find(JobId id) {
    JobRow row = live.get(id);
    if (row == null) {
      row = history.get(id);
    }
    return row == null ? deadLetter.get(id) : row;
  }

  /** Returns all jobs in all states. */
  Stream<JobRow> all() {
    return Stream.of(live, history, deadLetter).flatMap(table -> table.values().stream());
  }

  /** Returns how many jobs of a queue are claimed or running. */
  long countHeld(String queue) {
    return live.values().stream()
        .filter(row -> row.state.isHeld() && row.queue.equals(queue))
        .count();
  }

  /** Returns how many jobs of a task are claimed or running. */
  long countHeldOf(String task) {
    return live.values().stream()
        .filter(row -> row.state.isHeld() && row.task.equals(task))
        .count();
  }

  /** Returns whether a node holds a job with this claim. */
  boolean isHeld(ClaimId claim) {
    JobRow row = live.get(claim.id());
    return row != null && row.state.isHeld() && row.token == claim.token();
  }

  /** Returns whether a live node serves a queue. */
  boolean isDeclared(String queue) {
    return transaction(now -> nodes.values().stream().anyMatch(node -> node.serves(queue)));
  }

  TaskRow taskRule(String task) {
    return taskRules.getOrDefault(task, TaskRow.NONE);
  }

  Rule rule(String queue) {
    return rules.getOrDefault(queue, Rule.NONE);
  }

  private void enterReady(JobRow row) {
    row.state = JobState.READY;
    ready.add(row);
  }

  private void leaveReady(JobRow row) {
    if (row.state == JobState.READY) {
      ready.remove(row);
    }
  }
}
