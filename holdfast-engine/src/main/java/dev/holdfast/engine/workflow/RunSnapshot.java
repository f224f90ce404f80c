package dev.holdfast.engine.workflow;

import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.RunStep;
import dev.holdfast.engine.store.RunRow;
import dev.holdfast.engine.store.StepRef;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Run}: the row that a store read, with the steps of its graph.
 *
 * @param stranded why no live node can continue it; null if one can
 */
record RunSnapshot(RunRow row, @Nullable String stranded, List<RunStep> steps) implements Run {
  RunSnapshot {
    steps = List.copyOf(steps);
  }

  @Override
  public RunId id() {
    return row.id();
  }

  @Override
  public String workflow() {
    return row.workflow();
  }

  @Override
  public String definition() {
    return row.hash();
  }

  @Override
  public RunState state() {
    return row.state();
  }

  @Override
  public Optional<String> reason() {
    return stranded == null
        ? Optional.ofNullable(row.reason())
        : Optional.of(row.reason() == null ? stranded : stranded + " " + row.reason());
  }

  @Override
  public Optional<String> input() {
    return Optional.ofNullable(row.input());
  }

  @Override
  public Optional<String> result() {
    return Optional.ofNullable(row.result());
  }

  @Override
  public Optional<String> label() {
    return Optional.ofNullable(row.label());
  }

  @Override
  public Set<String> tags() {
    return row.tags();
  }

  @Override
  public Optional<String> uniqueKey() {
    return Optional.ofNullable(row.uniqueKey());
  }

  @Override
  public Optional<RunId> parent() {
    return Optional.ofNullable(row.parent()).map(StepRef::run);
  }

  @Override
  public Optional<RunId> origin() {
    return Optional.ofNullable(row.origin());
  }

  @Override
  public Instant createdAt() {
    return row.createdAt();
  }

  @Override
  public Optional<Instant> endedAt() {
    return Optional.ofNullable(row.endedAt());
  }

  @Override
  public long bytes() {
    return row.bytes();
  }
}
