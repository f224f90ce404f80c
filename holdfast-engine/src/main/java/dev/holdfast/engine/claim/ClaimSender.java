package dev.holdfast.engine.claim;

import dev.holdfast.engine.codec.JobPolicy;
import dev.holdfast.engine.codec.JobPolicyJson;
import dev.holdfast.engine.event.Telemetry;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.held.Lane;
import dev.holdfast.engine.held.NodeClaims;
import dev.holdfast.engine.held.SlowStart;
import dev.holdfast.engine.held.Tenure;
import dev.holdfast.engine.rule.TaskRules;
import dev.holdfast.engine.run.TaskRegistry;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimRequest;
import dev.holdfast.engine.store.ClaimRequest.Suspects;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Claims;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the claims and starts of a node, and holds the claimed jobs. Each claim is registered
 * before it is sent: if its reply is lost, a heartbeat finds and returns what was claimed.
 */
public final class ClaimSender {
  private static final Logger log = LoggerFactory.getLogger(ClaimSender.class);

  private final Claims claims;
  private final Set<String> stacks;
  private final NodeClaims held;
  private final ClaimRules rules;
  private final TaskRegistry tasks;
  private final Telemetry telemetry;
  private final Ticker ticker;

  /**
   * @param stacks the stacks whose jobs the node runs
   * @param tasks the tasks of the node, for the default policies of jobs
   */
  public ClaimSender(
      Claims claims,
      Set<String> stacks,
      NodeClaims held,
      ClaimRules rules,
      TaskRegistry tasks,
      Telemetry telemetry,
      Ticker ticker) {
    this.claims = claims;
    this.stacks = Set.copyOf(stacks);
    this.held = held;
    this.rules = rules;
    this.tasks = tasks;
    this.telemetry = telemetry;
    this.ticker = ticker;
  }

  /** What is still to be claimed, and for which incarnation. */
  static final class Request {
    final Lane lane;
    final Tenure tenure;
    final @Nullable Integer limit;

    /**
     * How many jobs to start immediately. Their slots are reserved, and released if none is
     * started.
     */
    int start;

    int ahead;

    /** How many more jobs to start: in slots that become free while the claim is under way. */
    int soon;

    private Request(Lane lane, Tenure tenure, @Nullable Integer limit) {
      this.lane = lane;
      this.tenure = tenure;
      this.limit = limit;
    }

    int size() {
      return start + soon + ahead;
    }

    boolean isOpen() {
      return size() > 0;
    }
  }

  /**
   * Returns a request for jobs of a lane; empty while it is not sure that the node may act. The
   * Heart is then about to extend or replace the tenure.
   *
   * @param limit the limit of the queue; null if there is none
   */
  Optional<Request> request(Lane lane, @Nullable Integer limit) {
    Tenure tenure = held.tenure();
    return tenure.isOver() || tenure.isInDoubt()
        ? Optional.empty()
        : Optional.of(new Request(lane, tenure, limit));
  }

  /**
   * What a call returned.
   *
   * @param roomForSuspects when there may be room for crash suspects, if there was none
   * @param took how long the call took
   */
  record Claimed(List<ClaimedJob> jobs, Moment roomForSuspects, Duration took) {}

  Moment now() {
    return ticker.now();
  }

  /**
   * Claims jobs of these tasks.
   *
   * @param accept runs each job, or queues it to be started. If that fails, a heartbeat returns the
   *     job
   */
  Claimed claim(Request request, TaskRules.Group group, Consumer<HeldJob> accept) {
    Moment now = ticker.now();
    SlowStart slowStart = held.jobs().suspects();
    Suspects suspects = slowStart.reserve(request.tenure.incarnation(), request.size(), now);
    Moment roomForSuspects = suspects.most() > 0 ? Moment.NEVER : slowStart.nextRoom(now);
    long call = held.calls().start();
    boolean known = false;
    try {
      Moment asked = ticker.now();
      List<ClaimedJob> jobs = claims.claim(toSend(call, request, group, suspects));
      Duration took = asked.until(ticker.now());
      boolean probes = group.rule() != null && group.rule().shut() != null;
      for (ClaimedJob job : jobs) {
        hold(new HeldJob(job, call, policyOf(job), request.tenure, probes), accept);
      }
      known = true;
      record(request.lane.queue(), jobs, took);
      return new Claimed(jobs, roomForSuspects, took);
    } finally {
      if (known) {
        held.calls().end(call);
      } else {
        // The next heartbeats find and return whatever was claimed and is not among the held jobs,
        // even if the failure says that nothing was claimed.
        held.calls().lose(call, ticker.now());
      }
      slowStart.giveBack(request.tenure.incarnation(), suspects);
    }
  }

  private ClaimRequest toSend(
      long call, Request request, TaskRules.Group group, Suspects suspects) {
    String queue = request.lane.queue();
    return new ClaimRequest(
        request.tenure.incarnation(),
        call,
        queue,
        group.tasks(),
        request.start + request.soon,
        request.ahead,
        request.limit,
        suspects,
        stacks,
        group.rule(),
        rules.unreadable().leftOut(queue, group.tasks()));
  }

  /** Starts prefetched jobs, and returns the claims of those that are RUNNING now. */
  Set<ClaimId> start(Tenure tenure, List<HeldJob> jobs) {
    return claims.start(tenure.incarnation(), jobs.stream().map(HeldJob::claim).toList());
  }

  /** Returns what the node has claimed. */
  NodeClaims held() {
    return held;
  }

  /** Holds a job that a call has returned, and passes it on. */
  void hold(HeldJob heldJob, Consumer<HeldJob> accept) {
    boolean added = held.jobs().add(heldJob);
    try {
      telemetry.events().claimed(heldJob.job());
      if (!added || heldJob.tenure().isOver()) {
        // Fenced while the claim was in progress; the fence may not have seen this job.
        held.jobs().abandon(heldJob);
      }
      accept.accept(heldJob);
    } catch (RuntimeException | Error broken) {
      if (heldJob.withdraw()) {
        heldJob.markUnreported();
      }
      log.error(
          "Job {} of task {} could not be started; the next heartbeat hands it back",
          heldJob.job().id(),
          heldJob.job().task(),
          broken);
    }
  }

  JobPolicy policyOf(ClaimedJob job) {
    return tasks
        .find(job.task())
        .map(
            task -> JobPolicyJson.readAnyhow(job.policy(), job.id()).orElse(task.type().defaults()))
        .orElse(JobPolicy.NONE);
  }

  private void record(String queue, List<ClaimedJob> jobs, Duration took) {
    telemetry.meters().claimCall(queue, jobs.size(), took);
    if (!jobs.isEmpty()) {
      telemetry
          .spans()
          .worked(
              "holdfast.claim",
              took,
              span ->
                  span.setAttribute("holdfast.queue", queue)
                      .setAttribute("holdfast.jobs.claimed", jobs.size())
                      .setAttribute(
                          "holdfast.jobs.started",
                          jobs.stream().filter(ClaimedJob::started).count()));
    }
  }
}
