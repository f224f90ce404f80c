package dev.holdfast.engine.claim;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.internal.Times;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.held.Lane;
import dev.holdfast.engine.held.SlotQueue;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.rule.TaskRules;
import dev.holdfast.engine.run.Runner;
import dev.holdfast.engine.store.QueueStore;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims jobs for the free slots of a lane, for its prefetch buffer, and for slots that will be
 * free when the claim returns ({@link ClaimPace}).
 *
 * <p>While there is a backlog, the claimer claims whenever a quarter of its slots is free or a
 * short time has passed: claiming for single slots would make tiny batches. Without a backlog it
 * waits to be woken, and polls less and less often. When it has reached the longest interval, and
 * before its first claim, an {@link IdlePoll} polls on its behalf.
 *
 * <p>Tasks with rules (limits or breakers) are claimed one by one, the others together.
 */
public final class Claimer implements Role {
  private static final Logger log = LoggerFactory.getLogger(Claimer.class);
  private static final int LARGEST_BATCH = 1_000;
  private static final Duration SLOT_CHECK = Duration.ofMillis(20);
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

  private final Lane lane;
  private final ClaimSender sender;
  private final ClaimRules rules;
  private final Runner runner;
  private final Starter starter;
  private final IdlePoll idlePoll;
  private final Waker waker;
  private final ClaimSize size = new ClaimSize(LARGEST_BATCH);
  private final ClaimPace pace = new ClaimPace();
  private volatile boolean claims;
  private volatile int looksInVain;
  private Moment roomForSuspects = Moment.NEVER;
  private volatile boolean stopped;
  private int turns;
  private long keptBefore;

  /**
   * @param runner runs the jobs that are claimed for a free slot
   * @param starter starts the jobs that are prefetched
   */
  public Claimer(
      Lane lane,
      ClaimSender sender,
      ClaimRules rules,
      Runner runner,
      Starter starter,
      IdlePoll idlePoll,
      Waker waker) {
    this.lane = lane;
    this.sender = sender;
    this.rules = rules;
    this.runner = runner;
    this.starter = starter;
    this.idlePoll = idlePoll;
    this.waker = waker;
    lane.claimedBy(waker, heldJob -> runner.run(lane, heldJob));
    idlePoll.join(this);
  }

  @Override
  public boolean sharesThread() {
    return true;
  }

  @Override
  public String name() {
    return "claimer-" + lane;
  }

  public Lane lane() {
    return lane;
  }

  /** Notes that there may be work: claims now, and polls often for a while. */
  public void expectWork() {
    looksInVain = 0;
    workFound();
  }

  /** Notes that the queue has ready jobs, possibly of tasks that this node has no handler for. */
  void workFound() {
    claims = true;
    waker.wake();
  }

  /** Stops claiming, and hands back the jobs that have not started. */
  public void stop() {
    stopped = true;
    lane.hungerFor(0);
    lane.refillAt(-1);
    starter.handBack(lane.queued().all());
    starter.giveAllBack();
  }

  /** Returns whether it would claim a job of this task without asking rules of the cluster. */
  boolean claimsFreely(String task) {
    QueueStore.Rule rule = rules.of(lane);
    return !stopped
        && !rule.paused()
        && rule.limit() == null
        && rules.isRunnable(task)
        && rules.tasks().isFree(task)
        && sender.request(lane, null).isPresent();
  }

  @Override
  public Moment tick(Moment now) {
    lane.watched(true);
    lane.startQueued(); // Other lanes may have released slots.
    starter.handBack(lane.queued().overdue(now));
    Moment next = claims ? claim(now) : Moment.NEVER;
    Moment look = now.plus(SlotQueue.LONGEST);
    if (!look.isBefore(next)) {
      return next;
    }
    lane.lends(false); // While it sleeps, nothing finds out whether attempts still end quickly.
    lane.watched(false); // Before the look: a job that is added after it wakes the claimer.
    if (lane.queued().size() == 0) {
      return next;
    }
    lane.watched(true);
    return look;
  }

  private Moment claim(Moment now) {
    idlePoll.leave(this);
    if (!now.isBefore(roomForSuspects)) {
      roomForSuspects = Moment.NEVER;
    }
    QueueStore.Rule rule = rules.of(lane);
    Moment review = rules.unreadable().review(now);
    List<String> tasks = rules.runnableTasks(lane);
    if (stopped || rule.paused() || tasks.isEmpty()) {
      lane.hungerFor(0);
      return review; // Resuming the queue or changing the mode wakes the claimers.
    }
    List<TaskRules.Group> groups = rules.tasks().groups(tasks, now);
    Moment opening = rules.tasks().nextOpening(tasks, now);
    if (groups.isEmpty()) {
      lane.hungerFor(0);
      return opening;
    }
    Optional<ClaimSender.Request> allowed = sender.request(lane, rule.limit());
    if (allowed.isEmpty()) {
      return now.plus(SLOT_CHECK);
    }
    ClaimSender.Request request = allowed.get();
    int wanted;
    try {
      request.start = starter.hasJobs() ? 0 : lane.slots().reserve(size.most());
      request.ahead = Math.max(0, Math.min(starter.room(), size.most() - request.start));
      request.soon = soon(now, size.most() - request.start - request.ahead);
      wanted = request.size();
      if (wanted == 0) {
        return awaitSlots(now);
      }
      for (TaskRules.Group group : inTurn(groups)) {
        if (request.isOpen()) {
          claim(request, group);
        }
      }
    } catch (StoreException failure) {
      lane.hungerFor(0); // Or every job that ends in the meantime would cause another claim.
      log.warn(
          "Claiming jobs from queue {} failed, retrying in {}: {}",
          lane,
          Times.describe(AFTER_FAILURE),
          failure.getMessage());
      return now.plus(AFTER_FAILURE);
    } finally {
      lane.slots().release(request.start);
    }
    int got = wanted - request.size();
    Moment next = opening.earlier(roomForSuspects);
    return next.earlier(request.isOpen() ? awaitWork(now, got) : awaitSlots(now));
  }

  /** Rotates the groups, so that a flood of jobs in one does not take all slots from the others. */
  private List<TaskRules.Group> inTurn(List<TaskRules.Group> groups) {
    if (groups.size() > 1) {
      Collections.rotate(groups, turns++ % groups.size());
    }
    return groups;
  }

  /**
   * Returns how many jobs to claim beside those that have a slot, because slots become free while
   * the claim is under way. Returns 0 if the number of jobs to claim ahead is set, if another lane
   * waits for its slots, because the jobs of this lane would keep them, or if steps of runs follow
   * each other in its slots, which then become free many at a time, when their runs end.
   */
  private int soon(Moment now, int most) {
    int expected = pace.soon(now, lane.ended(), Math.max(2, enough()));
    long kept = lane.kept();
    boolean continued = kept != keptBefore;
    keptBefore = kept;
    boolean early = expected > 0 && starter.isAutomatic() && !lane.isContested();
    lane.lends(early);
    if (!early || continued) {
      lane.refillAt(-1);
      return 0;
    }
    lane.refillAt(expected / 2);
    return Math.max(0, Math.min(expected - lane.queued().size(), most));
  }

  private void claim(ClaimSender.Request request, TaskRules.Group group) {
    ClaimSender.Claimed claimed = sender.claim(request, group, heldJob -> accept(heldJob, request));
    roomForSuspects = claimed.roomForSuspects();
    size.saw(claimed.jobs());
    if (!claimed.jobs().isEmpty()) {
      pace.took(claimed.took());
    }
  }

  private void accept(HeldJob heldJob, ClaimSender.Request request) {
    if (heldJob.job().started() && request.start > 0) {
      request.start--; // From here on the runner releases the slot.
      runner.run(lane, heldJob);
    } else if (heldJob.job().started()) {
      request.soon--;
      lane.runSoon(heldJob, sender.now());
    } else {
      request.ahead--;
      starter.prefetch(heldJob);
    }
  }

  /**
   * Waits for slots, because there is more to claim: continues when a good part of the slots is
   * free and, as long as jobs wait to be started, when there is room for others. The Starter may be
   * waiting for the store at that time, so free slots alone are no reason to try again immediately.
   */
  private Moment awaitSlots(Moment now) {
    looksInVain = 0;
    int enough = enough();
    lane.hungerFor(enough);
    boolean room = starter.room() > 0 || !starter.hasJobs();
    boolean ready = lane.slots().free() >= enough || lane.wantsRefill();
    return room && ready ? now : now.plus(SLOT_CHECK);
  }

  /** Returns how many jobs are worth a claim, while there is a backlog. */
  private int enough() {
    return Math.max(1, Math.min(LARGEST_BATCH, lane.slots().turn() / 4));
  }

  /**
   * Waits for work, because there is nothing more to claim: continues when woken, or after a while.
   */
  private Moment awaitWork(Moment now, int got) {
    lane.hungerFor(0);
    lane.refillAt(-1);
    looksInVain = got > 0 ? 0 : looksInVain + 1;
    return idlePoll.nextPoll(this, looksInVain, now);
  }
}
