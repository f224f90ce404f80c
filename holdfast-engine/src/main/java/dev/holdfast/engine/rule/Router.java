package dev.holdfast.engine.rule;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Maps task names to executor names by ordered rules; the first that matches wins.
 *
 * @param rules the rules in order
 * @param fallback the executor of tasks that no rule matches
 */
public record Router(List<Rule> rules, String fallback) {

  /** Sends tasks that match a pattern to an executor. */
  public record Rule(TaskPattern pattern, String executor) {}

  /** Returns a router that sends all tasks to one executor. */
  public static Router toAll(String executor) {
    return new Router(List.of(), executor);
  }

  public Router {
    rules = List.copyOf(rules);
  }

  /** Returns a router with one more rule, checked last. */
  public Router route(String glob, String executor) {
    List<Rule> longer = new ArrayList<>(rules);
    longer.add(new Rule(TaskPattern.of(glob), executor));
    return new Router(longer, fallback);
  }

  /** Returns the executor for a task. */
  public String executorFor(String task) {
    for (Rule rule : rules) {
      if (rule.pattern().matches(task)) {
        return rule.executor();
      }
    }
    return fallback;
  }

  /** Returns every executor that a task may be sent to. */
  public Set<String> executors() {
    Set<String> names = rules.stream().map(Rule::executor).collect(Collectors.toSet());
    names.add(fallback);
    return names;
  }
}
