package dev.holdfast.engine.claim;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.When;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.held.Lane;
import dev.holdfast.engine.held.NodeClaims;
import dev.holdfast.engine.held.Tenure;
import dev.holdfast.engine.run.Runner;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.RunAdvance;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.Stacks;
import dev.holdfast.engine.store.StartHere;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import dev.holdfast.engine.workflow.HandOver;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Starts the next step of a run in the slot of the step before, and the first steps of a run in
 * free slots of the node whose client has started it, without a claim. It does so only where a
 * claim would have no rule of the cluster to check; the store checks that again.
 *
 * <p>A run does not get more than its share: while other jobs wait for slots of the lane, it may
 * keep a slot for {@link #LONGEST} after a claim, and then its next step goes through the queue.
 */
public final class StepHandOver implements HandOver {
  /** How long the steps of a run may overtake waiting jobs. */
  static final Duration LONGEST = Duration.ofMillis(250);

  private final ClaimSender sender;
  private final NodeClaims held;
  private final Set<String> stacks;
  private final Runner runner;
  private final Ticker ticker;
  private final Map<Path, Claimer> claimers = new HashMap<>();

  private record Path(String queue, String task) {}

  /**
   * @param stacks the stacks whose jobs the node runs
   */
  public StepHandOver(
      ClaimSender sender, NodeClaims held, Set<String> stacks, Runner runner, Ticker ticker) {
    this.sender = sender;
    this.held = held;
    this.stacks = Set.copyOf(stacks);
    this.runner = runner;
    this.ticker = ticker;
  }

  /**
   * Hands over steps on the lane of this claimer. Call this before the node starts.
   *
   * @param known whether this node can plan what follows a job
   */
  public void add(Claimer claimer, Predicate<JobId> known) {
    Lane lane = claimer.lane();
    lane.tasks().forEach(task -> claimers.put(new Path(lane.queue(), task), claimer));
    lane.slotsKeptFor(ended ->
        ended.job().step() != null && mayKeep(lane, ended) && known.test(ended.job().id()));
  }

  private boolean mayKeep(Lane lane, HeldJob ended) {
    Moment since = ended.slotSince();
    return !lane.isSought() || (since != null && ticker.now().isBefore(since.plus(LONGEST)));
  }

  @Override
  public Offer offer(UUID incarnation, List<RunAdvance.Express> steps) {
    Tenure tenure = held.tenure();
    if (!tenure.incarnation().equals(incarnation)) {
      return Offer.NONE;
    }
    Map<JobId, Place> places = new HashMap<>();
    for (RunAdvance.Express step : steps) {
      HeldJob before = held.jobs().find(step.finish().claim().id());
      for (RunPlan.Job planned : step.plan().jobs()) {
        Place place = place(before, planned.job());
        if (place != null) {
          places.put(planned.job().id(), place);
        }
      }
    }
    return places.isEmpty() ? Offer.NONE : new Reserved(tenure, places);
  }

  @Override
  public Offer offer(List<NewJob> jobs) {
    Tenure tenure = held.tenure();
    Map<JobId, Place> places = new HashMap<>();
    for (NewJob job : jobs) {
      Place place = place(null, job);
      if (place != null) {
        places.put(job.id(), place);
      }
    }
    return places.isEmpty() ? Offer.NONE : new Reserved(tenure, places);
  }

  /** Returns a reserved slot for a job; null if it cannot start here now. */
  private @Nullable Place place(@Nullable HeldJob before, NewJob job) {
    Claimer claimer = claimers.get(new Path(job.content().queue(), job.content().task()));
    if (claimer == null || !mayStart(job) || !claimer.claimsFreely(job.content().task())) {
      return null;
    }
    Lane lane = claimer.lane();
    Moment now = ticker.now();
    if (before != null && before.keptSlot() == lane) {
      Moment since = before.slotSince();
      boolean slot = before.passSlotOn() || lane.slots().reserve(1) == 1;
      return new Place(lane, since == null ? now : since, slot);
    }
    return !lane.isSought() && lane.slots().reserve(1) == 1 ? new Place(lane, now, true) : null;
  }

  private boolean mayStart(NewJob job) {
    String stack = job.content().stamp().stack();
    return job.when() instanceof When.Now && (stack == null || Stacks.include(stacks, stack));
  }

  /**
   * A slot for a job.
   *
   * @param since when it was taken for a job from the queue
   * @param reserved false if its kept slot is lent, so the job waits for another
   */
  private record Place(Lane lane, Moment since, boolean reserved) {
    void run(HeldJob heldJob, Runner runner, Moment now) {
      if (reserved) {
        runner.run(lane, heldJob);
      } else {
        lane.runSoon(heldJob, now);
      }
    }

    void release() {
      if (reserved) {
        lane.free();
      }
    }
  }

  /** Slots for jobs, and the claim call under which they start. */
  private final class Reserved implements Offer {
    private final Tenure tenure;
    private final Map<JobId, Place> places;
    private final long call;

    private Reserved(Tenure tenure, Map<JobId, Place> places) {
      this.tenure = tenure;
      this.places = places;
      this.call = held.calls().start();
    }

    @Override
    public StartHere here() {
      return new StartHere(tenure.incarnation(), call, Set.copyOf(places.keySet()));
    }

    @Override
    public void accept(List<ClaimedJob> started) {
      boolean known = false;
      try {
        for (ClaimedJob job : started) {
          Place place = places.remove(job.id());
          if (place != null) {
            HeldJob heldJob = new HeldJob(job, call, sender.policyOf(job), tenure);
            heldJob.hasSlotSince(place.since);
            sender.hold(heldJob, ready -> place.run(ready, runner, ticker.now()));
          }
        }
        known = true;
      } finally {
        end(known);
        places.values().forEach(Place::release);
      }
    }

    @Override
    public void lose() {
      end(false);
      places.values().forEach(Place::release);
    }

    /**
     * Ends the call. What it may have started, and is not held, is found by the next heartbeats.
     */
    private void end(boolean known) {
      if (known) {
        held.calls().end(call);
      } else {
        held.calls().lose(call, ticker.now());
      }
    }
  }
}
