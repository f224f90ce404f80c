package dev.holdfast.tck.contract;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.workflow.MaxActive.OnFull;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.RunSource;
import dev.holdfast.engine.store.StepRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A builder of runs, with a new id. Its first plan starts step 0 unless a test sets another. */
public final class RunDraft {
  /** The workflow of runs that name no other. */
  public static final String WORKFLOW = "order";

  private @Nullable RunId id;
  private final int definition;
  private final int count;
  private String workflow = WORKFLOW;
  private @Nullable UniqueKey unique;
  private Set<String> tags = Set.of();
  private NewRun.@Nullable Gate gate;
  private @Nullable StepRef parent;
  private final List<RunPlan.Result> inherited = new ArrayList<>();
  private RunSource source = RunSource.NONE;
  private boolean mayExist;
  private UnaryOperator<PlanDraft> first = plan -> plan.job(0);

  /** A run with this number of steps. */
  public RunDraft(int definition, int count) {
    this.definition = definition;
    this.count = count;
  }

  /** The id, generated when it is first needed: the id of a child follows that of its parent. */
  public RunId id() {
    if (id == null) {
      id = new RunId(UuidCreator.getTimeOrderedEpoch());
    }
    return id;
  }

  public RunDraft workflow(String name) {
    this.workflow = name;
    return this;
  }

  public RunDraft unique(UniqueKey key) {
    this.unique = key;
    return this;
  }

  public RunDraft tags(String... words) {
    this.tags = Set.of(words);
    return this;
  }

  public RunDraft gate(String key, int most, OnFull onFull) {
    this.gate = new NewRun.Gate(key, most, onFull);
    return this;
  }

  public RunDraft parent(StepRef step) {
    this.parent = step;
    return this;
  }

  public RunDraft inherit(RunPlan.Result result) {
    inherited.add(result);
    return this;
  }

  public RunDraft source(RunSource from) {
    this.source = from;
    return this;
  }

  /** The call is repeated. */
  public RunDraft repeated() {
    this.mayExist = true;
    return this;
  }

  /** Sets what its start does. */
  public RunDraft first(UnaryOperator<PlanDraft> plan) {
    this.first = plan;
    return this;
  }

  /** The run. */
  public NewRun build() {
    PlanDraft plan = new PlanDraft(id(), count).event(RunEvent.Kind.CREATED, -1);
    return new NewRun(
        id(),
        mayExist,
        new NewRun.Content(
            definition,
            workflow,
            "{\"order\":7}",
            unique,
            tags,
            "Order 7",
            null,
            gate,
            parent,
            null,
            source,
            inherited),
        first.apply(plan).build());
  }
}
