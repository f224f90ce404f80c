package dev.holdfast.engine.workflow;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.Outcomes;
import dev.holdfast.engine.store.RunAdvance;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Stores how attempts ended. If the success of a step leads to the next one in a simple way, and
 * this node knows its run, both are written together: one statement instead of two transactions.
 * Everything else, and every run that has changed meanwhile, is stored as usual and left to the
 * {@link Advancer}.
 */
public final class ExpressOutcomes implements Outcomes {
  /** Larger groups are stored as usual: the advancer then advances their runs in batches. */
  private static final int LARGEST_GROUP = 400;

  private static final int MOST_JOBS = 1_000;
  private static final long MOST_BYTES = 1_000_000;

  private final Outcomes outcomes;
  private final RunAdvance runs;
  private final KnownRuns known;
  private final SignalBus bus;
  private final Consumer<RunId> ended;
  private volatile HandOver handOver = HandOver.NONE;

  /** The jobs of the last call whose runs were advanced with them. */
  private volatile Set<JobId> advanced = Set.of();

  /** What a call that failed may have written nevertheless. */
  private final Map<String, Signal.NewWork> unconfirmed = new HashMap<>();

  /**
   * @param ended receives the runs that end together with their last step
   */
  public ExpressOutcomes(
      Outcomes outcomes,
      RunAdvance runs,
      WorkflowCatalog catalog,
      SignalBus bus,
      Consumer<RunId> ended) {
    this.outcomes = outcomes;
    this.runs = runs;
    this.known = catalog.known();
    this.bus = bus;
    this.ended = ended;
    known.keep();
  }

  /** Sets what starts the jobs that follow without a claim. */
  public void handOver(HandOver to) {
    this.handOver = to;
  }

  /** Returns whether this node can plan what follows a job. */
  public boolean isKnown(JobId job) {
    return known.contains(job);
  }

  /** Returns whether the run of a job that the last call has finished needs no advance. */
  public boolean isAdvanced(JobId job) {
    return advanced.contains(job);
  }

  @Override
  public List<Result> finish(UUID incarnation, List<? extends Finish> finishes) {
    advanced = Set.of();
    if (finishes.size() > LARGEST_GROUP) {
      return outcomes.finish(incarnation, finishes);
    }
    Map<ClaimId, KnownRuns.Next> next = plan(finishes);
    if (next.isEmpty()) {
      return outcomes.finish(incarnation, finishes);
    }
    Set<ClaimId> done = express(incarnation, next);
    List<Finish> others = new ArrayList<>();
    finishes.stream().filter(finish -> !done.contains(finish.claim())).forEach(others::add);
    Map<ClaimId, Result> results = new HashMap<>();
    done.forEach(claim -> results.put(claim, Result.WRITTEN));
    if (!others.isEmpty()) {
      List<Result> rest = outcomes.finish(incarnation, others);
      for (int i = 0; i < others.size(); i++) {
        results.put(others.get(i).claim(), rest.get(i));
      }
    }
    return finishes.stream()
        .map(finish -> results.getOrDefault(finish.claim(), Result.LOST))
        .toList();
  }

  /** Plans at most one step of each run, because the next plan would depend on the first. */
  private Map<ClaimId, KnownRuns.Next> plan(List<? extends Finish> finishes) {
    Map<ClaimId, KnownRuns.Next> planned = new LinkedHashMap<>();
    Set<RunId> taken = new HashSet<>();
    int jobs = 0;
    long bytes = 0;
    for (Finish finish : finishes) {
      if (finish instanceof Finish.Succeeded success && jobs < MOST_JOBS && bytes < MOST_BYTES) {
        KnownRuns.Next next = known.next(success);
        if (next != null && taken.add(next.step().run())) {
          planned.put(success.claim(), next);
          jobs += next.step().plan().jobs().size();
          bytes += next.step().plan().jobs().stream().mapToLong(job -> job.job().size()).sum();
        }
      }
    }
    return planned;
  }

  private Set<ClaimId> express(UUID incarnation, Map<ClaimId, KnownRuns.Next> next) {
    List<RunAdvance.Express> steps = next.values().stream().map(KnownRuns.Next::step).toList();
    HandOver.Offer offer = handOver.offer(incarnation, steps);
    RunAdvance.Expressed result;
    try {
      result = runs.express(incarnation, steps, offer.here());
    } catch (RuntimeException failure) {
      offer.lose();
      // The reply may be lost: the repeat finds other runs than these plans expect.
      steps.forEach(step -> {
        known.forget(step.run());
        announce(step, Set.of(), unconfirmed);
      });
      throw failure;
    }
    Set<ClaimId> done = result.stored();
    Set<JobId> started = new HashSet<>();
    result.started().forEach(job -> started.add(job.id()));
    Map<String, Signal.NewWork> fresh = new HashMap<>(unconfirmed);
    unconfirmed.clear();
    next.forEach((claim, each) -> {
      if (done.contains(claim)) {
        known.advanced(each);
        announce(each.step(), started, fresh);
        if (each.step().ends()) {
          ended.accept(each.step().run());
        }
        bus.changed(each.step().run());
      } else {
        known.forget(each.step().run());
      }
    });
    advanced = done.stream().map(ClaimId::id).collect(Collectors.toUnmodifiableSet());
    offer.accept(result.started()); // After the runs are known as they are now.
    fresh.values().forEach(bus::publish);
    return done;
  }

  private static void announce(
      RunAdvance.Express step, Set<JobId> started, Map<String, Signal.NewWork> fresh) {
    for (var planned : step.plan().jobs()) {
      NewJob job = planned.job();
      if (!started.contains(job.id())) {
        fresh.merge(
            job.content().queue(),
            new Signal.NewWork(job.content().queue(), job.content().priority(), 1),
            Signal.NewWork::and);
      }
    }
  }

  @Override
  public Set<ClaimId> note(UUID incarnation, List<Note> notes) {
    return outcomes.note(incarnation, notes);
  }
}
