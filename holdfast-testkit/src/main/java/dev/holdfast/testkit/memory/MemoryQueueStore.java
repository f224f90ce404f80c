package dev.holdfast.testkit.memory;

import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.QueueStatus;
import dev.holdfast.engine.store.JobQueries;
import dev.holdfast.engine.store.QueueSnapshot;
import dev.holdfast.engine.store.QueueStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Stores the settings of queues, and reads their state. */
final class MemoryQueueStore implements QueueStore {
  private final Tables tables;
  private final JobQueries lookup;
  private @Nullable Sample sample;
  private Instant sampledAt = Instant.MIN;

  MemoryQueueStore(Tables tables, JobQueries lookup) {
    this.tables = tables;
    this.lookup = lookup;
  }

  @Override
  public void pause(String queue, @Nullable String reason) {
    tables.transaction(now -> {
      tables.pauses.merge(
          queue,
          new Pause(reason, now),
          (old, fresh) -> reason == null ? old : new Pause(reason, old.since()));
      return tables.rules.put(queue, new Rule(true, tables.rule(queue).limit()));
    });
  }

  @Override
  public void resume(String queue) {
    tables.transaction(now -> {
      tables.pauses.remove(queue);
      return tables.rules.put(queue, new Rule(false, tables.rule(queue).limit()));
    });
  }

  @Override
  public void limit(String queue, @Nullable Integer most) {
    tables.transaction(now -> tables.rules.put(queue, new Rule(tables.rule(queue).paused(), most)));
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
        .forEach(node -> names.addAll(node.registration.queues()));
    return names;
  }

  private QueueStatus status(String name, Instant now) {
    Rule rule = tables.rule(name);
    Pause pause = tables.pauses.get(name);
    List<JobRow> rows =
        tables.live.values().stream().filter(row -> row.queue.equals(name)).toList();
    long ready = count(rows, JobState.READY);
    long held = count(rows, JobState.CLAIMED) + count(rows, JobState.RUNNING);
    long scheduled = count(rows, JobState.SCHEDULED);
    return new QueueSnapshot(
        name,
        rule.paused(),
        pause == null ? null : pause.reason(),
        pause == null ? null : pause.since(),
        rule.limit(),
        Math.min(MOST_COUNTED, ready),
        Math.min(MOST_COUNTED, held),
        Math.min(MOST_COUNTED, scheduled),
        oldestReady(rows, now),
        ready > MOST_COUNTED,
        held > MOST_COUNTED,
        scheduled > MOST_COUNTED);
  }

  @Override
  public Optional<Sample> sample(Set<String> queues, Duration freshFor) {
    return tables.transaction(now -> {
      Sample latest = sample;
      boolean counted = latest == null || !sampledAt.plus(freshFor).isAfter(now);
      if (latest == null || counted) {
        latest = measure(now);
        sample = latest;
        sampledAt = now;
      }
      Map<String, Depth> depths = new TreeMap<>(latest.depths());
      depths.keySet().retainAll(queues);
      Map<String, Integer> serving = new TreeMap<>(latest.serving());
      serving.keySet().retainAll(queues);
      return Optional.of(
          new Sample(
              depths,
              latest.unknownTasks(),
              latest.nodes(),
              serving,
              latest.strandedRuns(),
              counted));
    });
  }

  private Sample measure(Instant now) {
    Map<String, Depth> depths = new TreeMap<>();
    names().stream()
        .map(name -> status(name, now))
        .filter(queue -> queue.ready() > 0)
        .forEach(queue -> depths.put(queue.name(), new Depth(queue.ready(), queue.oldestReady())));
    List<NodeRow> live = tables.nodes.values().stream().filter(node -> node.alive).toList();
    Map<String, Integer> serving = new TreeMap<>();
    live.forEach(
        node -> node.registration.queues().forEach(queue -> serving.merge(queue, 1, Integer::sum)));
    long stranded =
        tables.runs.open.keySet().stream().filter(id -> tables.stranding(id).isPresent()).count();
    return new Sample(depths, lookup.unknownTasks(), live.size(), serving, stranded, true);
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
