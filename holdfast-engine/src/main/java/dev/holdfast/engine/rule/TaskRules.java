package dev.holdfast.engine.rule;

import dev.holdfast.engine.store.TaskStore;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The rules of tasks as this node last read them. */
public final class TaskRules {
  /**
   * The remaining time of a breaker differs from one read to the next, even if nothing happened in
   * between.
   */
  private static final Duration JITTER = Duration.ofMillis(100);

  private volatile Map<String, Heard> rules = Map.of();

  /**
   * A rule as this node read it.
   *
   * @param shutUntil until when its breaker lets no job through; null if it is closed
   */
  private record Heard(@Nullable Integer limit, @Nullable Moment shutUntil) {
    static Heard at(Moment now, TaskStore.Rule rule) {
      Duration shut = rule.shut();
      return new Heard(rule.limit(), shut == null ? null : now.plus(shut));
    }

    /** Returns whether claimers that know the other rule need not be notified of this one. */
    boolean isLike(Heard other) {
      return Objects.equals(limit, other.limit) && !differsInTime(other);
    }

    /** A later time is noticed when the earlier one has come; an earlier time would be missed. */
    private boolean differsInTime(Heard other) {
      if (shutUntil == null || other.shutUntil == null) {
        return (shutUntil == null) != (other.shutUntil == null);
      }
      return shutUntil.plus(JITTER).isBefore(other.shutUntil);
    }

    boolean isShut(Moment now) {
      return shutUntil != null && now.isBefore(shutUntil);
    }
  }

  /**
   * Tasks that may be claimed in one call.
   *
   * @param rule the rule of the only task; null for tasks without rules
   */
  public record Group(List<String> tasks, TaskStore.@Nullable Rule rule) {}

  /**
   * Replaces the rules with those from the store.
   *
   * @return whether anything changed
   */
  public synchronized boolean update(Map<String, TaskStore.Rule> fresh, Moment now) {
    Map<String, Heard> before = rules;
    if (fresh.isEmpty() && before.isEmpty()) {
      return false;
    }
    Map<String, Heard> after = new HashMap<>();
    fresh.forEach((task, rule) -> after.put(task, Heard.at(now, rule)));
    rules = Map.copyOf(after);
    return !before.keySet().equals(after.keySet())
        || after.entrySet().stream().anyMatch(entry -> isNew(entry, before));
  }

  private static boolean isNew(Map.Entry<String, Heard> entry, Map<String, Heard> before) {
    Heard known = before.get(entry.getKey());
    return known == null || !entry.getValue().isLike(known);
  }

  /** Replaces the rule of one task with that from the store. */
  public synchronized void set(String task, TaskStore.Rule rule, Moment now) {
    Map<String, Heard> after = new HashMap<>(rules);
    if (rule.equals(TaskStore.Rule.NONE)) {
      after.remove(task);
    } else {
      after.put(task, Heard.at(now, rule));
    }
    rules = Map.copyOf(after);
  }

  /** Returns whether this task has neither a limit nor a breaker that is not closed. */
  public boolean isFree(String task) {
    return !rules.containsKey(task);
  }

  /** Returns whether this task has a cluster-wide limit. */
  public boolean isLimited(String task) {
    Heard heard = rules.get(task);
    return heard != null && heard.limit != null;
  }

  /** Returns whether the breaker of this task is not closed. */
  public boolean isBroken(String task) {
    Heard heard = rules.get(task);
    return heard != null && heard.shutUntil != null;
  }

  /** Returns whether the breaker of this task lets no job through at present. */
  public boolean isShut(String task, Moment now) {
    Heard heard = rules.get(task);
    return heard != null && heard.isShut(now);
  }

  /**
   * Returns which tasks to claim together: all tasks without rules, and each other one alone. Tasks
   * whose breaker lets no job through are left out.
   */
  public List<Group> groups(List<String> tasks, Moment now) {
    Map<String, Heard> known = rules;
    if (known.isEmpty()) {
      return tasks.isEmpty() ? List.of() : List.of(new Group(tasks, null));
    }
    List<String> free = new ArrayList<>();
    List<Group> groups = new ArrayList<>();
    for (String task : tasks) {
      Heard heard = known.get(task);
      if (heard == null) {
        free.add(task);
      } else if (!heard.isShut(now)) {
        Duration due = heard.shutUntil == null ? null : Duration.ZERO;
        groups.add(new Group(List.of(task), new TaskStore.Rule(heard.limit, due)));
      }
    }
    if (!free.isEmpty()) {
      groups.add(new Group(free, null));
    }
    return groups;
  }

  /**
   * Returns when the first breaker of these tasks that lets no job through at present may let one
   * through.
   */
  public Moment nextOpening(List<String> tasks, Moment now) {
    Map<String, Heard> known = rules;
    Moment first = Moment.NEVER;
    for (String task : known.isEmpty() ? List.<String>of() : tasks) {
      Heard heard = known.get(task);
      if (heard != null && heard.shutUntil != null && heard.isShut(now)) {
        first = first.earlier(heard.shutUntil);
      }
    }
    return first;
  }
}
