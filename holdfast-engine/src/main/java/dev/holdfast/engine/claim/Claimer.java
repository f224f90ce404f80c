package dev.holdfast.engine.claim;

import dev.holdfast.api.StoreException;
import dev.holdfast.engine.codec.JobPolicy;
import dev.holdfast.engine.codec.JobPolicyJson;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.held.Lane;
import dev.holdfast.engine.held.SlowStart;
import dev.holdfast.engine.held.Tenure;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.rule.TaskRules;
import dev.holdfast.engine.store.ClaimRequest;
import dev.holdfast.engine.store.ClaimRequest.Suspects;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.QueueStore;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims jobs for one lane, as many as it has free slots and room to prefetch.
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
  private final ClaimParts parts;
  private final Supplier<PollBackoff> pace;
  private final ClaimSize size = new ClaimSize(LARGEST_BATCH);
  private final Starter starter;
  private final IdlePoll idlePoll;
  private final Waker waker;
  private volatile boolean claims;
  private volatile int looksInVain;
  private Moment roomForSuspects = Moment.NEVER;
  private volatile boolean stopped;
  private int turns;

  /**
   * @param starter starts the jobs that this claimer prefetches
   */
  public Claimer(
      Lane lane,
      ClaimParts parts,
      Supplier<PollBackoff> pace,
      IdlePoll idlePoll,
      Starter starter,
      Waker waker) {
    this.lane = lane;
    this.parts = parts;
    this.pace = pace;
    this.idlePoll = idlePoll;
    this.starter = starter;
    this.waker = waker;
    lane.claimedBy(waker);
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
    starter.giveAllBack();
  }

  @Override
  public Moment tick(Moment now) {
    if (!claims) {
      return Moment.NEVER;
    }
    idlePoll.leave(this);
    if (!now.isBefore(roomForSuspects)) {
      roomForSuspects = Moment.NEVER;
    }
    QueueStore.Rule rule = parts.rules().of(lane.queue());
    Moment review = parts.unreadable().review(now);
    List<String> tasks =
        lane.tasks().stream()
            .filter(parts.modes()::mayRun)
            .filter(parts.unreadable()::mayClaim)
            .toList();
    if (stopped || rule.paused() || tasks.isEmpty()) {
      lane.hungerFor(0);
      return review; // Resuming the queue or changing the mode wakes the claimers.
    }
    List<TaskRules.Group> groups = parts.taskRules().groups(tasks, now);
    Moment opening = parts.taskRules().nextOpening(tasks, now);
    if (groups.isEmpty()) {
      lane.hungerFor(0);
      return opening;
    }
    Tenure tenure = parts.identity().tenure();
    if (tenure.isOver() || tenure.isInDoubt()) {
      return now.plus(SLOT_CHECK); // The Heart is about to extend or replace the tenure.
    }
    Request request = new Request(tenure, rule.limit());
    int wanted;
    try {
      request.start = starter.hasJobs() ? 0 : lane.slots().reserve(size.most());
      request.ahead = Math.max(0, Math.min(starter.room(), size.most() - request.start));
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
          "Claiming jobs from queue {} failed, retrying in {} ms: {}",
          lane,
          AFTER_FAILURE.toMillis(),
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

  /** What is still to be claimed, and for which incarnation. */
  private static final class Request {
    final Tenure tenure;
    final @Nullable Integer limit;

    /**
     * How many jobs to start immediately. Their slots are reserved, and released if none is
     * started.
     */
    int start;

    int ahead;

    Request(Tenure tenure, @Nullable Integer limit) {
      this.tenure = tenure;
      this.limit = limit;
    }

    int size() {
      return start + ahead;
    }

    boolean isOpen() {
      return size() > 0;
    }
  }

  private void claim(Request request, TaskRules.Group group) {
    Suspects suspects = reserveSuspects(request);
    long call = parts.calls().begin();
    boolean known = false;
    try {
      Moment asked = parts.ticker().now();
      List<ClaimedJob> jobs = parts.claims().claim(order(call, request, group, suspects));
      Duration took = asked.until(parts.ticker().now());
      boolean probes = group.rule() != null && group.rule().shut() != null;
      for (ClaimedJob job : jobs) {
        HeldJob heldJob = new HeldJob(job, call, policyOf(job), request.tenure, probes);
        parts.heldJobs().add(heldJob);
        accept(job, heldJob, request);
      }
      size.saw(jobs);
      known = true;
      parts.meters().claimCall(lane.queue(), jobs.size(), took);
      if (!jobs.isEmpty()) {
        record(jobs, took);
      }
    } finally {
      if (known) {
        parts.calls().end(call);
      } else {
        // The next heartbeats find and return whatever was claimed and is not among the held jobs,
        // even if the failure says that nothing was claimed.
        parts.calls().lose(call, parts.ticker().now());
      }
      parts.heldJobs().suspects().giveBack(request.tenure.incarnation(), suspects);
    }
  }

  private void record(List<ClaimedJob> jobs, Duration took) {
    parts
        .spans()
        .worked(
            "holdfast.claim",
            took,
            span ->
                span.setAttribute("holdfast.queue", lane.queue())
                    .setAttribute("holdfast.jobs.claimed", jobs.size())
                    .setAttribute(
                        "holdfast.jobs.started",
                        jobs.stream().filter(ClaimedJob::started).count()));
  }

  /**
   * Reserves room for crash suspects. If there is none, the claimer tries again when there may be.
   */
  private Suspects reserveSuspects(Request request) {
    SlowStart slowStart = parts.heldJobs().suspects();
    Moment now = parts.ticker().now();
    Suspects reserved =
        slowStart.reserve(request.tenure.incarnation(), request.start + request.ahead, now);
    roomForSuspects = reserved.most() > 0 ? Moment.NEVER : slowStart.nextRoom(now);
    return reserved;
  }

  private ClaimRequest order(long call, Request request, TaskRules.Group group, Suspects suspects) {
    return new ClaimRequest(
        request.tenure.incarnation(),
        call,
        lane.queue(),
        group.tasks(),
        request.start,
        request.ahead,
        request.limit,
        suspects,
        parts.stacks(),
        group.rule(),
        parts.unreadable().leftOut(lane.queue(), group.tasks()));
  }

  /** Runs a claimed job, or queues it to be started. If that fails, a heartbeat returns the job. */
  private void accept(ClaimedJob job, HeldJob heldJob, Request request) {
    try {
      begin(job, heldJob, request);
    } catch (RuntimeException | Error broken) {
      if (heldJob.withdraw()) {
        heldJob.markUnreported();
      }
      log.error(
          "Job {} of task {} could not be started; the next heartbeat returns it to its queue",
          job.id(),
          job.task(),
          broken);
    }
  }

  private void begin(ClaimedJob job, HeldJob heldJob, Request request) {
    parts.events().claimed(job);
    if (request.tenure.isOver()) {
      // Fenced while the claim was in progress; the fence may not have seen this job.
      parts.heldJobs().abandon(heldJob);
    }
    if (job.started()) {
      parts.meters().started(job, Duration.between(job.readyAt(), job.claimedAt()));
      parts.events().started(job);
      request.start--; // From here on the runner releases the slot.
      parts.runner().run(lane, heldJob);
    } else {
      request.ahead--;
      starter.prefetch(heldJob);
    }
  }

  private JobPolicy policyOf(ClaimedJob job) {
    return parts
        .tasks()
        .find(job.task())
        .map(
            task -> JobPolicyJson.readAnyhow(job.policy(), job.id()).orElse(task.type().defaults()))
        .orElse(JobPolicy.NONE);
  }

  /**
   * Waits for slots, because there is more to claim: continues when a good part of the slots is
   * free and, as long as jobs wait to be started, when there is room for others. The Starter may be
   * waiting for the store at that time, so free slots alone are no reason to try again immediately.
   */
  private Moment awaitSlots(Moment now) {
    looksInVain = 0;
    int enough = Math.max(1, Math.min(LARGEST_BATCH, lane.slots().capacity() / 4));
    lane.hungerFor(enough);
    boolean room = starter.room() > 0 || !starter.hasJobs();
    return room && lane.slots().free() >= enough ? now : now.plus(SLOT_CHECK);
  }

  /**
   * Waits for work, because there is nothing more to claim: continues when woken, or after a while.
   */
  private Moment awaitWork(Moment now, int got) {
    lane.hungerFor(0);
    looksInVain = got > 0 ? 0 : looksInVain + 1;
    PollBackoff current = pace.get();
    if (current.isDeepIdle(looksInVain - 1)) {
      idlePoll.join(this);
      return Moment.NEVER;
    }
    return now.plus(current.after(Math.max(0, looksInVain - 1), parts.random().nextDouble()));
  }
}
