package dev.holdfast.testkit.memory;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimRequest;
import dev.holdfast.engine.store.ClaimRequest.Suspects;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Claims;
import dev.holdfast.engine.store.QueueStore.Rule;
import dev.holdfast.engine.store.Stacks;
import dev.holdfast.engine.store.Suspicion;
import dev.holdfast.engine.store.TaskStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Claims and starts jobs. */
final class MemoryClaims implements Claims {
  private final Tables tables;

  MemoryClaims(Tables tables) {
    this.tables = tables;
  }

  @Override
  public List<ClaimedJob> claim(ClaimRequest request) {
    return tables.transaction(now -> {
      NodeRow node = tables.nodes.get(request.incarnation());
      return node == null || !node.alive ? List.of() : claim(request, node, now);
    });
  }

  private List<ClaimedJob> claim(ClaimRequest request, NodeRow node, Instant now) {
    Set<String> tasks = Set.copyOf(request.tasks());
    Predicate<JobRow> wanted =
        row ->
            row.queue.equals(request.queue())
                && tasks.contains(row.task)
                && !request.without().contains(row.id)
                && (request.alone() != null || !tables.taskRule(row.task).isBarred())
                && !row.isOverdue(now)
                && (row.stack == null || Stacks.include(request.stacks(), row.stack));
    long room = room(request, now);
    List<JobRow> suspects = suspects(request.suspects(), wanted, room);
    List<JobRow> chosen =
        new ArrayList<>(
            choose(wanted.and(row -> !row.isSuspect()), Math.max(0, room - suspects.size())));
    chosen.addAll(suspects);
    chosen.sort(tables.ready.comparator());
    List<ClaimedJob> claimed = new ArrayList<>(chosen.size());
    for (JobRow row : chosen) {
      boolean started = claimed.size() < request.start();
      int attempt = row.attempt + 1;
      tables.hold(row, node, request.claimNo());
      if (started) {
        tables.start(row, now);
      }
      claimed.add(claimedJob(row, started, attempt, now));
    }
    if (request.alone() != null && !claimed.isEmpty()) {
      letThrough(request.tasks().getFirst(), claimed.getFirst(), now);
    }
    return List.copyOf(claimed);
  }

  @Override
  public List<ClaimedJob> held(UUID incarnation, Set<JobId> jobs, boolean payloads) {
    return tables.transaction(now ->
        tables.live.values().stream()
            .filter(row -> jobs.contains(row.id) && incarnation.equals(row.holder))
            .sorted(Comparator.comparing((JobRow row) -> row.rank))
            .map(row -> held(row, payloads, now))
            .toList());
  }

  private static ClaimedJob held(JobRow row, boolean payloads, Instant now) {
    boolean started = row.state == JobState.RUNNING;
    Instant at = row.startedAt == null ? now : row.startedAt;
    ClaimedJob job = claimedJob(row, started, started ? row.attempt : row.attempt + 1, at);
    return payloads
        ? job
        : new ClaimedJob(
            job.id(),
            job.token(),
            job.task(),
            job.queue(),
            job.started(),
            job.attempt(),
            job.priority(),
            null,
            job.tags(),
            job.policy(),
            job.uniqueKey(),
            null,
            job.createdAt(),
            job.readyAt(),
            job.claimedAt(),
            job.crashes(),
            job.suspicion(),
            job.step());
  }

  @Override
  public Set<String> queuesWithReadyJobs(
      Set<String> queues, Set<String> tasks, Set<String> stacks) {
    return tables.transaction(now ->
        tables.ready.stream()
            .filter(row -> queues.contains(row.queue))
            .filter(row ->
                row.stack == null
                    || (Stacks.include(stacks, row.stack)
                        && (row.isSuspect() || tasks.contains(row.task))))
            .map(row -> row.queue)
            .collect(Collectors.toSet()));
  }

  /** Chooses either one crash suspect that must run alone, or several others. */
  private List<JobRow> suspects(Suspects allowed, Predicate<JobRow> wanted, long room) {
    long most = Math.min(room, allowed.most());
    List<JobRow> lone =
        allowed.lone()
            ? choose(wanted.and(row -> row.suspicion == Suspicion.ALONE), Math.min(most, 1))
            : List.of();
    return lone.isEmpty() ? choose(wanted.and(row -> row.suspicion == Suspicion.SLOW), most) : lone;
  }

  private void letThrough(String task, ClaimedJob job, Instant now) {
    TaskRow row = tables.taskRule(task);
    if (!row.circuit().isClosed()) {
      tables.taskRules.put(task, row.with(row.circuit().probing(job.claim(), now)));
    }
  }

  private List<JobRow> choose(Predicate<JobRow> wanted, long most) {
    return tables.ready.stream().filter(wanted).limit(most).toList();
  }

  /** Returns how many jobs this request may claim under the rules of the queue and the task. */
  private long room(ClaimRequest request, Instant now) {
    long room = roomOfQueue(request);
    TaskStore.Rule believed = request.alone();
    if (believed == null) {
      return room;
    }
    String task = request.tasks().getFirst();
    TaskRow row = tables.taskRule(task);
    Integer limit = row.limit();
    if (!Objects.equals(limit, believed.limit())) {
      return 0;
    }
    if (limit != null) {
      room = Math.clamp(limit - tables.countHeldOf(task), 0, room);
    }
    if (row.circuit().isClosed()) {
      return room;
    }
    return row.circuit().mayProbe(now, tables::isHeld) ? Math.min(room, 1) : 0;
  }

  private long roomOfQueue(ClaimRequest request) {
    Rule rule = tables.rule(request.queue());
    if (rule.paused() || !Objects.equals(rule.limit(), request.limit())) {
      return 0;
    }
    return rule.limit() == null
        ? request.wanted()
        : Math.clamp(rule.limit() - tables.countHeld(request.queue()), 0, request.wanted());
  }

  static ClaimedJob claimedJob(JobRow row, boolean started, int attempt, Instant now) {
    return new ClaimedJob(
        row.id,
        row.token,
        row.task,
        row.queue,
        started,
        attempt,
        row.priority,
        row.payload,
        row.tags,
        row.policy,
        row.unique == null ? null : row.unique.value(),
        row.notes,
        row.createdAt,
        row.runAt,
        now,
        row.crashes,
        row.suspicion,
        row.step);
  }

  @Override
  public Set<ClaimId> start(UUID incarnation, List<ClaimId> claims) {
    return tables.transaction(now -> {
      NodeRow node = tables.nodes.get(incarnation);
      boolean alive = node != null && node.alive;
      return each(incarnation, claims, row -> start(row, alive, now));
    });
  }

  private boolean start(JobRow row, boolean alive, Instant now) {
    if (row.cancelRequested) {
      tables.end(row, JobState.CANCELLED, now);
      return false;
    }
    if (!alive || row.state == JobState.RUNNING) {
      return alive;
    }
    if (row.isOverdue(now)) {
      tables.end(row, JobState.EXPIRED, now);
      return false;
    }
    tables.start(row, now);
    return true;
  }

  @Override
  public Set<ClaimId> giveBack(UUID incarnation, List<ReleasedClaim> claims) {
    return tables.transaction(now -> {
      Set<ClaimId> given = new LinkedHashSet<>();
      for (ReleasedClaim claim : claims) {
        given.addAll(
            each(incarnation, List.of(claim.claim()), row -> giveBack(row, claim.ran(), now)));
      }
      return given;
    });
  }

  private boolean giveBack(JobRow row, boolean ran, Instant now) {
    if (row.cancelRequested) {
      tables.end(row, JobState.CANCELLED, now);
      return false;
    }
    if (row.state == JobState.RUNNING) {
      row.attempt--;
      if (ran) {
        row.startBy = null; // Only a job that never started can expire.
      }
    }
    tables.putBack(row);
    return true;
  }

  /**
   * Applies an action to each job that the caller still holds, and returns those that succeeded.
   */
  private Set<ClaimId> each(UUID incarnation, List<ClaimId> claims, Predicate<JobRow> attempt) {
    Set<ClaimId> done = new LinkedHashSet<>();
    for (ClaimId claim : claims) {
      JobRow row = tables.heldBy(incarnation, claim);
      if (row != null && attempt.test(row)) {
        done.add(claim);
      }
    }
    return done;
  }
}
