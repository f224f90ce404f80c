package dev.holdfast.server.worker;

import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.claim.ClaimSize;
import dev.holdfast.engine.rule.CurrentModes;
import dev.holdfast.engine.rule.TaskRules;
import dev.holdfast.engine.store.ClaimRequest;
import dev.holdfast.engine.store.ClaimRequest.Suspects;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.NodeStore.ClaimRow;
import dev.holdfast.engine.store.NodeStore.Heartbeat;
import dev.holdfast.engine.store.NodeStore.HeartbeatReply;
import dev.holdfast.engine.store.Portions;
import dev.holdfast.engine.store.QueueStore;
import dev.holdfast.engine.store.Suspicion;
import dev.holdfast.engine.store.TaskStore;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import dev.holdfast.server.http.Code;
import dev.holdfast.server.node.WorkerNodes.Worker;
import dev.holdfast.server.tenant.OpenTenant;
import dev.holdfast.server.tenant.TenantState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;

/**
 * Claims jobs for workers. A claim call has a number that the worker chooses and that is stored
 * with each job, so a repeated call finds what the first one claimed.
 */
final class WorkerClaims {
  private static final Duration LOOK = Duration.ofSeconds(5);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** As many of the largest payloads as fit into one reply: the first statement knows no size. */
  private static final int FIRST_PORTION = 8;

  private static final int LARGEST_PORTION = 1_000;

  private final OpenTenant tenant;
  private final TenantWork work;
  private final Flights flights;

  WorkerClaims(OpenTenant tenant, TenantWork work, Flights flights) {
    this.tenant = tenant;
    this.work = work;
    this.flights = flights;
  }

  /**
   * Claims jobs, waits for some if there are none, or returns what the same call claimed before.
   */
  List<ClaimedJob> claim(Worker worker, ClaimCall call) {
    try (Flights.Flight flight = flights.start(worker.incarnation(), call.number());
        TenantWork.Waiter waiter = work.waiter(call.queues())) {
      flight.onSuperseded(waiter::wake);
      long deadline = System.nanoTime() + call.patience().toNanos();
      while (true) {
        HeartbeatReply reply = check(tenant, worker, call.from());
        List<ClaimedJob> jobs = repeated(worker, call, reply);
        if (jobs.isEmpty() && !flight.isSuperseded()) {
          jobs = attempt(worker, call, reply);
        }
        long left = deadline - System.nanoTime();
        if (!jobs.isEmpty() || left <= 0 || flight.isSuperseded() || work.isClosed()) {
          return jobs;
        }
        boolean announced =
            waiter.await(Duration.ofNanos(Math.min(left, work.bus().sleepAtMost(LOOK).toNanos())));
        if (announced && call.most() == 0) {
          return List.of();
        }
      }
    }
  }

  /**
   * Reads what the tenant records about a worker: what it holds, which rules apply, and whether it
   * is alive.
   */
  static HeartbeatReply check(OpenTenant tenant, Worker worker, long from) {
    UUID incarnation = worker.incarnation();
    return tenant
        .store()
        .nodes()
        .beat(new Heartbeat(incarnation, worker.running(), from, PATIENCE, PATIENCE, Duration.ZERO))
        .orElseThrow(() -> dead(incarnation));
  }

  static RuntimeException dead(UUID worker) {
    return Code.WORKER_DEAD.because(
        "Worker %s was declared dead or has deregistered; nothing was changed. Stop its jobs, and"
            + " register again.",
        worker);
  }

  private List<ClaimedJob> repeated(Worker worker, ClaimCall call, HeartbeatReply reply) {
    Set<JobId> ids =
        reply.claims().stream()
            .filter(row -> row.claimNo() == call.number())
            .map(row -> row.claim().id())
            .collect(Collectors.toSet());
    return tenant.store().claims().held(worker.incarnation(), ids, true);
  }

  private List<ClaimedJob> attempt(Worker worker, ClaimCall call, HeartbeatReply reply) {
    if (call.most() == 0
        || reply.fenceRequested()
        || tenant.tenant().state() != TenantState.ACTIVE) {
      return List.of();
    }
    CurrentModes modes = new CurrentModes(reply.modes());
    List<String> tasks = call.tasks().stream().filter(modes::mayRun).toList();
    Moment now = Ticker.system().now();
    TaskRules rules = new TaskRules();
    boolean unused = rules.update(reply.tasks(), now);
    List<TaskRules.Group> groups =
        rules.groups(tasks, now).stream().filter(WorkerClaims::isForWorkers).toList();
    boolean lone = reply.claims().stream().noneMatch(ClaimRow::suspect);
    Claimed claimed = new Claimed(call, lone);
    for (String queue : inTurn(call.queues())) {
      QueueStore.Rule rule = reply.rules().getOrDefault(queue, QueueStore.Rule.NONE);
      for (TaskRules.Group group : rule.paused() ? List.<TaskRules.Group>of() : groups) {
        claim(worker, new Lane(queue, rule, group), claimed);
      }
    }
    return claimed.jobs;
  }

  /** What a call has claimed until now. */
  private static final class Claimed {
    private final ClaimCall call;
    private final List<ClaimedJob> jobs = new ArrayList<>();
    private final ClaimSize portion = new ClaimSize(FIRST_PORTION, LARGEST_PORTION);
    private boolean lone;
    private long size;

    Claimed(ClaimCall call, boolean lone) {
      this.call = call;
      this.lone = lone;
    }

    int start() {
      int started = (int) jobs.stream().filter(ClaimedJob::started).count();
      return Math.max(0, call.start() - started);
    }

    int left() {
      return call.most() - jobs.size();
    }

    boolean isFull() {
      return left() <= 0 || size >= Portions.LARGEST;
    }

    void add(List<ClaimedJob> more) {
      jobs.addAll(more);
      portion.saw(more);
      more.forEach(job -> size += ClaimSize.size(job));
      lone &= more.stream().noneMatch(job -> job.suspicion() != Suspicion.NONE);
    }

    /** Returns how many the next statement may claim: at least one. */
    int portion() {
      long average = jobs.isEmpty() ? 0 : size / jobs.size();
      long fitting = average == 0 ? left() : (Portions.LARGEST - size) / average;
      return Math.clamp(fitting, 1, Math.min(left(), portion.most()));
    }
  }

  /** Jobs that one statement can claim. */
  private record Lane(String queue, QueueStore.Rule rule, TaskRules.Group group) {}

  /** A probe is left to a node, which reports its outcome to the breaker. */
  private static boolean isForWorkers(TaskRules.Group group) {
    TaskStore.Rule rule = group.rule();
    return rule == null || rule.shut() == null;
  }

  /**
   * Claims in portions until the reply has the size of one that fits into memory many times: the
   * payloads of a call with the largest numbers could have gigabytes. Its size is known afterwards
   * only. What is left is claimed by the next call.
   */
  private void claim(Worker worker, Lane lane, Claimed claimed) {
    int portion = 0;
    List<ClaimedJob> jobs = List.of();
    while (jobs.size() == portion && !claimed.isFull()) {
      portion = claimed.portion();
      int start = Math.min(claimed.start(), portion);
      jobs = claim(worker, lane, claimed, start, portion - start);
      claimed.add(jobs);
    }
    if (!jobs.isEmpty() && jobs.size() == portion) {
      work.wake(lane.queue(), 1); // There may be more.
    }
  }

  private List<ClaimedJob> claim(
      Worker worker, Lane lane, Claimed before, int start, int prefetch) {
    return tenant
        .store()
        .claims()
        .claim(
            new ClaimRequest(
                worker.incarnation(),
                before.call.number(),
                lane.queue(),
                lane.group().tasks(),
                start,
                prefetch,
                lane.rule().limit(),
                // One at a time: a worker in any language has no slow start.
                before.lone ? new Suspects(1, true) : Suspects.NONE,
                before.call.stacks(),
                lane.group().rule(),
                Set.of()));
  }

  /** So that a flood in one queue does not take all jobs of a worker from the others. */
  private static List<String> inTurn(Set<String> queues) {
    List<String> turn = new ArrayList<>(queues);
    if (turn.size() > 1) {
      Collections.shuffle(turn, ThreadLocalRandom.current());
    }
    return turn;
  }

  /** Returns the worker, if the control schema records it as alive. */
  static Worker alive(Optional<Worker> found, UUID incarnation) {
    Worker worker =
        found.orElseThrow(() ->
            Code.WORKER_NOT_FOUND.because(
                "Worker %s does not exist, or has been dead for a day: register it.", incarnation));
    if (!worker.alive()) {
      throw dead(incarnation);
    }
    return worker;
  }
}
