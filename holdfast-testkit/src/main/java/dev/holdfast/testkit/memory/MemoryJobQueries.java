package dev.holdfast.testkit.memory;

import dev.holdfast.api.Counts;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.WaitReason;
import dev.holdfast.engine.rule.EligibleNodes;
import dev.holdfast.engine.store.JobQueries;
import dev.holdfast.engine.store.QueueStore.Rule;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Finds, lists and counts jobs, and explains why they wait. */
final class MemoryJobQueries implements JobQueries {
  private final Tables tables;

  MemoryJobQueries(Tables tables) {
    this.tables = tables;
  }

  @Override
  public Map<JobId, Job> find(Collection<JobId> ids) {
    return tables.transaction(now -> {
      Map<JobId, Job> found = new LinkedHashMap<>();
      for (JobId id : ids) {
        JobRow row = tables.find(id);
        if (row != null) {
          found.put(id, row.toJob(now));
        }
      }
      return found;
    });
  }

  @Override
  public List<Job> list(JobFilter filter, @Nullable JobId before, int limit) {
    return tables.transaction(now ->
        tables
            .all()
            .filter(row -> row.passes(filter))
            .filter(row -> before == null || row.id.compareTo(before) < 0)
            .sorted(Comparator.comparing((JobRow row) -> row.id).reversed())
            .limit(limit)
            .map(row -> row.toJob(now))
            .toList());
  }

  @Override
  public Counts<JobState> count(JobFilter filter, int most) {
    return tables.transaction(now -> {
      BoundedCounts<JobState> counts =
          new BoundedCounts<>(most, state -> JobQueries.isTallied(filter, state));
      tables.all().filter(row -> row.passes(filter)).forEach(row -> counts.add(row.state));
      return counts.read();
    });
  }

  @Override
  public Optional<WaitReason> whyWaiting(JobId id) {
    return tables.transaction(
        now -> Optional.ofNullable(tables.find(id)).map(row -> reason(row, now)));
  }

  private WaitReason reason(JobRow row, Instant now) {
    return switch (row.state) {
      case SCHEDULED -> new WaitReason.NotDue(row.runAt);
      case WAITING -> new WaitReason.Parked(row.waitsFor, row.runAt);
      case READY -> reasonWhileReady(row, now);
      case CLAIMED -> new WaitReason.Prefetched(String.valueOf(row.node));
      case ON_HOLD ->
          row.step == null
              ? new WaitReason.NotWaiting(row.state)
              : new WaitReason.RunPaused(row.step.run().value());
      case RUNNING, SUCCEEDED, FAILED, CANCELLED, EXPIRED -> new WaitReason.NotWaiting(row.state);
    };
  }

  /** Returns the first obstacle: an operator setting, then something missing, then load. */
  private WaitReason reasonWhileReady(JobRow row, Instant now) {
    Rule rule = tables.rule(row.queue);
    if (rule.paused()) {
      Pause pause = tables.pauses.get(row.queue);
      return new WaitReason.QueuePaused(
          row.queue, pause == null ? null : pause.reason(), pause == null ? null : pause.since());
    }
    Optional<WaitReason> lacking =
        EligibleNodes.lacking(row.queue, row.task, row.stack, tables.living());
    if (lacking.isPresent()) {
      return lacking.get();
    }
    TaskRow task = tables.taskRule(row.task);
    Instant openUntil = task.circuit().openUntil();
    if (openUntil != null) {
      return new WaitReason.BreakerOpen(row.task, openUntil);
    }
    if (rule.limit() != null && tables.countHeld(row.queue) >= rule.limit()) {
      return new WaitReason.QueueFull(row.queue, rule.limit());
    }
    if (task.limit() != null && tables.countHeldOf(row.task) >= task.limit()) {
      return new WaitReason.TaskFull(row.task, task.limit());
    }
    long before =
        tables.ready.headSet(row).stream()
            .filter(other -> other.queue.equals(row.queue))
            .filter(other -> other.isSuspect() == row.isSuspect())
            .filter(other -> other.stack == null || other.stack.equals(row.stack))
            .limit(MOST_COUNTED)
            .count();
    return row.isSuspect()
        ? new WaitReason.CrashSuspect(row.crashes, before)
        : new WaitReason.Queued(before, Duration.between(row.runAt, now));
  }

  @Override
  public Map<String, Long> unknownTasks() {
    return tables.transaction(now -> {
      Map<String, Long> counts = new TreeMap<>();
      tables.ready.stream()
          .filter(this::isUnknown)
          .forEach(row -> counts.merge(row.task, 1L, Long::sum));
      return counts;
    });
  }

  private boolean isUnknown(JobRow row) {
    return tables.nodes.values().stream().noneMatch(node -> node.serves(row.queue, row.task));
  }
}
