package dev.holdfast.engine.workflow;

import dev.holdfast.api.Counts;
import dev.holdfast.api.Page;
import dev.holdfast.api.Runs;
import dev.holdfast.api.internal.Names;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.RerunOptions;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunFilter;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunItem;
import dev.holdfast.api.workflow.RunOptions;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.SignalOptions;
import dev.holdfast.api.workflow.Started;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.codec.JobCause;
import dev.holdfast.engine.store.RunStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The runs of a store, for clients. */
public final class StoredRuns implements Runs {
  private final RunStore store;
  private final RunStarter starter;
  private final RunLookup lookup;
  private final RunAwaiter awaiter;
  private final RunCommands commands;

  public StoredRuns(
      RunStore store,
      RunStarter starter,
      RunLookup lookup,
      RunAwaiter awaiter,
      RunCommands commands) {
    this.store = store;
    this.starter = starter;
    this.lookup = lookup;
    this.awaiter = awaiter;
    this.commands = commands;
  }

  @Override
  public <I, R> Started<R> start(Workflow<I, R> workflow, I input, RunOptions options) {
    return starter.start(store.intake(), workflow, input, options, null);
  }

  /**
   * Starts a run for a job, in the stack of the job.
   *
   * @param cause the schedule or trigger that created the job; null for none
   */
  public <I, R> Started<R> startFor(
      JobId job, Workflow<I, R> workflow, I input, RunOptions options, @Nullable JobCause cause) {
    return starter.startFor(store.intake(), workflow, input, options, lookup.stackOf(job), cause);
  }

  /**
   * Starts a run of a stored graph for a job, in the stack of the job.
   *
   * @param hash the hash of the graph
   * @param input the encoded input
   * @param cause the schedule or trigger that created the job; null for none
   */
  public Started<Object> startFor(
      JobId job, String hash, String input, RunOptions options, @Nullable JobCause cause) {
    return starter.startFor(store.intake(), hash, input, options, lookup.stackOf(job), cause);
  }

  @Override
  public Started<Object> start(String workflow, String input, RunOptions options) {
    return starter.start(store.intake(), Names.workflow(workflow), input, options);
  }

  @Override
  public <I, R> Started<R> signalOrStart(
      Workflow<I, R> workflow,
      I input,
      String uniqueKey,
      String signal,
      @Nullable Object payload,
      Consumer<SignalOptions.Builder> changes) {
    return starter.start(
        store.intake(),
        workflow,
        input,
        RunOptions.of(run -> run.unique(UniqueKey.whileActive(uniqueKey))),
        starter.signal(signal, payload, SignalOptions.of(changes)));
  }

  @Override
  public Optional<Run> find(RunId id) {
    return lookup.find(id);
  }

  @Override
  public List<RunItem> items(RunId id, String step) {
    return lookup.items(id, step);
  }

  @Override
  public List<Run> list(RunFilter filter, Page<RunId> page) {
    return lookup.list(filter, page);
  }

  @Override
  public Counts<RunState> count(RunFilter filter) {
    return lookup.count(filter);
  }

  @Override
  public List<RunEvent> events(RunId id, Page<Long> page) {
    return lookup.events(id, page);
  }

  @Override
  public <R> @Nullable R await(RunId id, TypeRef<R> resultType, Duration atMost)
      throws InterruptedException {
    return awaiter.await(id, resultType, atMost);
  }

  @Override
  public <R> CompletionStage<@Nullable R> awaitAsync(
      RunId id, TypeRef<R> resultType, Duration atMost) {
    return awaiter.awaitAsync(id, resultType, atMost);
  }

  @Override
  public void pause(RunId id) {
    commands.pause(id);
  }

  @Override
  public void resume(RunId id) {
    commands.resume(id);
  }

  @Override
  public void cancel(RunId id, String reason) {
    commands.cancel(id, reason);
  }

  @Override
  public void retry(RunId id) {
    commands.retry(id);
  }

  @Override
  public RunId rerun(RunId id, RerunOptions options) {
    return starter.rerun(store, lookup.row(id), options, null);
  }

  /** Starts a new run under a given id. A repeat with the same id starts no second run. */
  public RunId rerun(RunId id, RerunOptions options, RunId fresh) {
    return starter.rerun(store, lookup.row(id), options, fresh);
  }

  @Override
  public void signal(
      RunId id, String signal, @Nullable Object payload, Consumer<SignalOptions.Builder> changes) {
    commands.signal(id, starter.signal(signal, payload, SignalOptions.of(changes)));
  }

  @Override
  public List<String> move(RunId id, String hash, boolean dryRun) {
    return commands.move(id, hash, dryRun);
  }

  @Override
  public List<String> recoverStuck() {
    return commands.recoverStuck();
  }
}
