package dev.holdfast.testkit.memory;

import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.workflow.RunFilter;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.engine.codec.Utf8Length;
import dev.holdfast.engine.store.LargePayload;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.RunFacts.MapCounts;
import dev.holdfast.engine.store.RunPhase;
import dev.holdfast.engine.store.RunRow;
import dev.holdfast.engine.store.RunSource;
import dev.holdfast.engine.store.StepRef;
import java.time.Instant;
import java.util.HashSet;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The row of a run, open or ended. */
final class StoredRun {
  final RunId id;
  final String workflow;
  final @Nullable String input;
  final @Nullable UniqueKey unique;
  final Set<String> tags;
  final @Nullable String label;
  final @Nullable Integer priority;
  final NewRun.@Nullable Gate gate;
  final @Nullable RunId origin;
  final RunSource source;
  final Instant createdAt;

  /** The maps that have started, by step. */
  final NavigableMap<Integer, MapCounts> maps = new TreeMap<>();

  /** Changes when its parent is moved to another graph, or retried without this run. */
  @Nullable StepRef parent;

  /** The large payloads of its jobs, which are counted once. */
  final Set<String> largePayloads = new HashSet<>();

  int definition;
  RunState state = RunState.RUNNING;
  RunPhase phase = RunPhase.MAIN;
  String steps;
  @Nullable String reason;
  @Nullable String result;
  @Nullable String summary;
  @Nullable Instant endedAt;
  long bytes;

  /** Whether it was retried: then jobs of its steps may be continued. */
  boolean retried;

  StoredRun(NewRun run, Instant now) {
    NewRun.Content content = run.content();
    this.id = run.id();
    this.workflow = content.workflow();
    this.input = content.input();
    this.unique = content.unique();
    this.tags = Set.copyOf(content.tags());
    this.label = content.label();
    this.priority = content.priority();
    this.gate = content.gate();
    this.parent = content.parent();
    this.origin = content.origin();
    this.source = content.source();
    this.definition = content.definition();
    this.steps = ".".repeat(run.first().steps().length());
    this.createdAt = now;
  }

  boolean sharesGateWith(StoredRun other) {
    return gate != null
        && other.gate != null
        && gate.key().equals(other.gate.key())
        && workflow.equals(other.workflow);
  }

  /** Counts the payload of a job, if it is large and no other job of the run has it. */
  void count(NewJob job) {
    String payload = job.content().payload();
    if (payload != null && LargePayload.isIn(job) && largePayloads.add(payload)) {
      bytes += Utf8Length.bytes(payload);
    }
  }

  /** Returns whether its main steps run: later phases must be carried out even if it is stopped. */
  boolean isInMainPart() {
    return phase == RunPhase.MAIN || phase == RunPhase.STOPPING;
  }

  boolean passes(RunFilter filter) {
    return filter.admits(state)
        && (filter.workflow() == null || filter.workflow().equals(workflow))
        && (filter.tag() == null || tags.contains(filter.tag()))
        && (filter.parent() == null || (parent != null && filter.parent().equals(parent.run())))
        && (filter.createdAfter() == null || !createdAt.isBefore(filter.createdAfter()))
        && (filter.createdBefore() == null || createdAt.isBefore(filter.createdBefore()));
  }

  RunRow toRow(String hash) {
    return new RunRow(
        id,
        workflow,
        definition,
        hash,
        state,
        phase,
        steps,
        reason,
        input,
        result,
        label,
        tags,
        unique == null ? null : unique.value(),
        parent,
        origin,
        createdAt,
        endedAt,
        bytes,
        source,
        priority);
  }
}
