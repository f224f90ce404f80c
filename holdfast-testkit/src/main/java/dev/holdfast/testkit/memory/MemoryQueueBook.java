package dev.holdfast.testkit.memory;

import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.QueueStatus;
import dev.holdfast.engine.store.QueueBook;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Settings and state of queues. */
final class MemoryQueueBook implements QueueBook {
  private final Tables tables;

  MemoryQueueBook(Tables tables) {
    this.tables = tables;
  }

  @Override
  public void pause(String queue, boolean paused) {
    change(queue, rule -> new Rule(paused, rule.limit()));
  }

  @Override
  public void limit(String queue, @Nullable Integer most) {
    change(queue, rule -> new Rule(rule.paused(), most));
  }

  private void change(String queue, UnaryOperator<Rule> change) {
    tables.transaction(now -> tables.rules.put(queue, change.apply(tables.rule(queue))));
  }

  @Override
  public Map<String, Rule> rules() {
    return tables.transaction(now -> Map.copyOf(tables.rules));
  }

  @Override
  public List<QueueStatus> list() {
    return tables.transaction(now -> names().stream().map(name -> status(name, now)).toList());
  }

  private Set<String> names() {
    Set<String> names = new TreeSet<>();
    tables.rules.forEach((name, rule) -> {
      if (!rule.equals(Rule.NONE)) {
        names.add(name);
      }
    });
    tables.live.values().forEach(row -> names.add(row.queue));
    tables.nodes.values().stream()
        .filter(node -> node.alive)
        .forEach(node -> names.addAll(node.card.queues()));
    return names;
  }

  private QueueStatus status(String name, Instant now) {
    Rule rule = tables.rule(name);
    List<JobRow> rows =
        tables.live.values().stream().filter(row -> row.queue.equals(name)).toList();
    return new QueueStatus(
        name,
        rule.paused(),
        rule.limit(),
        count(rows, JobState.READY),
        count(rows, JobState.CLAIMED) + count(rows, JobState.RUNNING),
        count(rows, JobState.SCHEDULED),
        oldestReady(rows, now));
  }

  private static long count(List<JobRow> rows, JobState state) {
    return rows.stream().filter(row -> row.state == state).count();
  }

  private static Duration oldestReady(List<JobRow> rows, Instant now) {
    return rows.stream()
        .filter(row -> row.state == JobState.READY)
        .map(row -> Duration.between(row.runAt, now))
        .max(Comparator.naturalOrder())
        .orElse(Duration.ZERO);
  }

  @Override
  public boolean isDeclared(String queue) {
    return tables.isDeclared(queue);
  }
}
