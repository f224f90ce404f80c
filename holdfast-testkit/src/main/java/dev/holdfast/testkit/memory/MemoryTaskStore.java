package dev.holdfast.testkit.memory;

import dev.holdfast.api.job.JobState;
import dev.holdfast.api.task.TaskStatus;
import dev.holdfast.engine.rule.BreakerTransition;
import dev.holdfast.engine.store.TaskSnapshot;
import dev.holdfast.engine.store.TaskStore;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Stores the limits and circuit breakers of tasks. */
final class MemoryTaskStore implements TaskStore {
  private final Tables tables;

  MemoryTaskStore(Tables tables) {
    this.tables = tables;
  }

  @Override
  public void limit(String task, @Nullable Integer most) {
    tables.transaction(now -> tables.taskRules.put(task, tables.taskRule(task).limited(most)));
  }

  @Override
  public Noted report(Attempts attempts) {
    return tables.transaction(now -> {
      TaskRow row = tables.taskRule(attempts.task());
      BreakerTransition after = row.circuit().after(attempts, now);
      tables.taskRules.put(attempts.task(), row.with(after));
      return new Noted(after.turnSince(row.circuit()), row.with(after).rule(now));
    });
  }

  @Override
  public boolean closeBreaker(String task) {
    return tables.transaction(now -> {
      TaskRow row = tables.taskRule(task);
      tables.taskRules.computeIfPresent(
          task, (name, known) -> known.with(BreakerTransition.CLOSED));
      return !row.circuit().isClosed();
    });
  }

  @Override
  public Map<String, Rule> rules() {
    return tables.transaction(now -> rules(tables, now));
  }

  static Map<String, Rule> rules(Tables tables, Instant now) {
    Map<String, Rule> rules = new TreeMap<>();
    tables.taskRules.forEach((task, row) -> {
      if (row.isBarred()) {
        rules.put(task, row.rule(now));
      }
    });
    return rules;
  }

  @Override
  public List<TaskStatus> list() {
    return tables.transaction(now ->
        tables.taskRules.entrySet().stream()
            .map(entry -> status(entry.getKey(), entry.getValue()))
            .toList());
  }

  private TaskStatus status(String task, TaskRow row) {
    return new TaskSnapshot(
        task,
        row.limit(),
        tables.live.values().stream()
            .filter(job -> job.task.equals(task) && job.state == JobState.READY)
            .count(),
        tables.countHeldOf(task),
        row.circuit().state(),
        row.circuit().openUntil());
  }
}
