package dev.holdfast.testkit.workflow;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.internal.Times;
import dev.holdfast.api.run.TaskHandler;
import dev.holdfast.api.run.VoidTaskHandler;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunOptions;
import dev.holdfast.api.workflow.Started;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.intake.ClientSettings;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.testkit.memory.InMemoryStore;
import dev.holdfast.testkit.memory.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs workflows in virtual time, on the thread of the test: with children, maps, retries, timers,
 * signals and durable steps. A run that takes years is over at once.
 *
 * <pre>{@code
 * Workflow<Charge, Receipt> pay =
 *     Workflow.defineWithResult(
 *         "billing::pay", Charge.class, flow -> flow.step("charge", CHARGE, flow.input()));
 *
 * TestedRun<Receipt> run =
 *     WorkflowTester.create()
 *         .handle(CHARGE, (charge, context) -> new Receipt(7))
 *         .failTimes(CHARGE, 1)
 *         .crashAfter("charge")
 *         .run(pay, new Charge("ada", 4_200));
 *
 * assertThat(run.result()).isEqualTo(new Receipt(7));
 * assertThat(run.executed()).containsExactly("charge", "charge", "charge");
 * }</pre>
 *
 * <p>It uses real nodes on a store in memory: the same code plans, claims, runs and recovers steps
 * as in production. No node runs between two calls. Steps run one after the other, and handlers
 * take no time unless they call {@link #advance}. Delays of retries have no jitter.
 *
 * <p>A call never waits for something that cannot happen. If a run cannot end, because it waits for
 * a signal that is never sent, a task has no handler, or retries never end, it throws a {@link
 * StuckRunError} that says what everything waits for. A handler that blocks its thread is
 * interrupted after a while (see {@link #maxRealTime}); only one that does not respond to
 * interruption, such as an endless loop, blocks the test.
 *
 * <p>Not safe for use by multiple threads.
 */
public final class WorkflowTester {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration LONGEST = Duration.ofDays(50 * 365);

  private final InMemoryStore store;
  private final Map<String, Consumer<NodeBuilder>> handlers = new LinkedHashMap<>();
  private final List<Consumer<NodeBuilder>> settings = new ArrayList<>();
  private final VirtualTime time;
  private final AttemptScript script;
  private PayloadCodec codec = new JsonCodec();
  private @Nullable Holdfast client;
  private @Nullable RunTree tree;

  private WorkflowTester(Instant start) {
    ManualClock clock = new ManualClock(start);
    this.store = new InMemoryStore(clock);
    this.time = new VirtualTime(clock, store, this::configure, this::client, this::script);
    this.script =
        new AttemptScript(time::now, store::stepOf, step -> tree().nameOf(step), () -> time.kill());
  }

  /** Returns a tester whose clock shows the start of 2026. */
  public static WorkflowTester create() {
    return create(START);
  }

  /** Returns a tester whose clock shows the given time at first. */
  public static WorkflowTester create(Instant start) {
    return new WorkflowTester(start);
  }

  private void configure(NodeBuilder node) {
    node.codec(codec).interceptAttempts(script);
    handlers.values().forEach(handler -> handler.accept(node));
    settings.forEach(setting -> setting.accept(node));
  }

  /** Runs jobs of this task with this handler, instead of one that was given before. */
  public <P, R> WorkflowTester handle(
      TaskType<P, R> type, TaskHandler<? super P, ? extends R> handler) {
    handlers.put(type.name(), node -> node.handle(type, handler));
    return this;
  }

  /** Runs jobs of this task, which has no result, with this handler. */
  public <P> WorkflowTester handle(TaskType<P, Void> type, VoidTaskHandler<? super P> handler) {
    handlers.put(type.name(), node -> node.handle(type, handler));
    return this;
  }

  /** Lets each job of this task, which has no result, succeed. */
  public <P> WorkflowTester succeeds(TaskType<P, Void> type) {
    return returns(type, null);
  }

  /** Lets each job of this task return this result; null for none. */
  public <P, R> WorkflowTester returns(TaskType<P, R> type, @Nullable R result) {
    TaskHandler<P, R> stub = (payload, context) -> result;
    return handle(type, stub);
  }

  /** Lets each attempt of this task fail with this exception. Its retry policy applies. */
  public <P, R> WorkflowTester fails(TaskType<P, R> type, Exception failure) {
    TaskHandler<P, R> stub =
        (payload, context) -> {
          throw failure;
        };
    return handle(type, stub);
  }

  /** Lets the next attempts of this task fail before its handler is called. */
  public WorkflowTester failTimes(TaskType<?, ?> type, int times) {
    return failTimes(type, times, new IllegalStateException("The tester lets this attempt fail."));
  }

  /** Lets the next attempts of this task fail with this exception before its handler is called. */
  public WorkflowTester failTimes(TaskType<?, ?> type, int times, Exception failure) {
    script.failTimes(type.name(), times, failure);
    return this;
  }

  /**
   * Lets the node die once, when the job of a step has started and before its code runs. Another
   * node recovers the job at once, as its crash policy says.
   *
   * @param step the name of a step that runs a task, of any run; call this again for a second crash
   */
  public WorkflowTester crashBefore(String step) {
    script.crashBefore(step);
    return this;
  }

  /**
   * Lets the node die once, after the code of a step has run and before its result is stored.
   * Another node recovers the job at once, as its crash policy says: by default the code runs
   * again, without the durable steps that were stored.
   *
   * @param step the name of a step that runs a task, of any run; call this again for a second crash
   */
  public WorkflowTester crashAfter(String step) {
    script.crashAfter(step);
    return this;
  }

  /**
   * Lets the node die now. For handlers, for example in the middle of a durable step: {@code throw
   * tester.crash();}
   *
   * @return an error that ends the handler, and that it must not catch
   */
  public Error crash() {
    return script.crash();
  }

  /**
   * Lets jobs start runs of this workflow with its {@linkplain Workflow#starter starter}. Not
   * needed for {@link #start} and for child workflows.
   */
  public WorkflowTester workflow(Workflow<?, ?> workflow) {
    return node(builder -> builder.workflow(workflow));
  }

  /** Changes other settings of the nodes, such as interceptors or the limit of results. */
  public WorkflowTester node(Consumer<NodeBuilder> changes) {
    settings.add(changes);
    return this;
  }

  /** Sets the codec. Defaults to JSON. */
  public WorkflowTester codec(PayloadCodec own) {
    if (client != null) {
      throw new IllegalStateException(
          "The codec cannot be changed after the first run: set it first.");
    }
    this.codec = own;
    return this;
  }

  /** Limits how many attempts a call may run, against retries without end. Defaults to 10,000. */
  public WorkflowTester maxAttempts(int most) {
    if (most < 1) {
      throw new IllegalArgumentException(
          "At most %d attempts are not valid: allow at least 1.".formatted(most));
    }
    time.maxAttempts(most);
    return this;
  }

  /** Limits how much virtual time a call may take. Defaults to 50 years, which is the maximum. */
  public WorkflowTester maxTime(Duration longest) {
    if (longest.isNegative() || longest.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "At most %s of virtual time is not valid: allow up to %s."
              .formatted(Times.describe(longest), Times.describe(LONGEST)));
    }
    time.maxTime(longest);
    return this;
  }

  /**
   * Limits how long the handler of one attempt may take, in real time. One that takes longer, for
   * example because it waits for something that only another thread could do, is interrupted, and
   * the call ends with a {@link StuckRunError} that names the step; its cause has the stack trace
   * of the handler. The step counts as crashed: the next call continues with it as its crash policy
   * says. Set it higher to debug a handler. Defaults to 30 seconds.
   */
  public WorkflowTester maxRealTime(Duration longest) {
    if (longest.isNegative() || longest.isZero() || longest.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "At most %s of real time is not valid: allow more than none, and up to %s."
              .formatted(Times.describe(longest), Times.describe(LONGEST)));
    }
    script.limit().set(longest);
    return this;
  }

  /**
   * Starts a run and runs it to its end, whatever that is: see {@link TestedRun#result} and {@link
   * TestedRun#state()}.
   *
   * @throws StuckRunError if it does not end
   */
  public <I, R> TestedRun<R> run(Workflow<I, R> workflow, I input) {
    time.requireNoNode();
    return start(workflow, input).runToEnd();
  }

  /** Starts a run. Nothing runs until a method of the run, or {@link #advance}, is called. */
  public <I, R> TestedRun<R> start(Workflow<I, R> workflow, I input) {
    return start(workflow, input, options -> {});
  }

  /** Starts a run with options. */
  public <I, R> TestedRun<R> start(
      Workflow<I, R> workflow, I input, Consumer<RunOptions.Builder> options) {
    return follow(client().runs().start(workflow, input, options));
  }

  /** Returns a run that was started otherwise, for example by a job, a trigger or a handler. */
  public <R> TestedRun<R> follow(Started<R> started) {
    return follow(started.id(), started.resultType());
  }

  <R> TestedRun<R> follow(RunId id, TypeRef<R> resultType) {
    return new TestedRun<>(this, id, resultType);
  }

  /**
   * Lets time pass for all runs: whatever becomes due runs at its time. A handler that calls it
   * takes that long, which may exceed the timeout of its job.
   *
   * @throws StuckRunError if too many attempts run meanwhile, or a handler blocks
   */
  public WorkflowTester advance(Duration passing) {
    VirtualTime.Stop stop = time.pass(passing);
    if (stop != VirtualTime.Stop.DONE) {
      throw new StuckRunError(
          "%s did not pass: gave up after %s.".formatted(Times.describe(passing), time.limit(stop)),
          List.of(),
          script.blocked().map(AttemptScript.Blocked::where).orElse(null));
    }
    return this;
  }

  /** Returns the time that the clock shows. */
  public Instant now() {
    return time.now();
  }

  /** Returns a client of the store, to enqueue jobs and to do what {@link TestedRun} cannot. */
  public Holdfast client() {
    Holdfast known = client;
    if (known == null) {
      known = HoldfastClient.on(store, codec, ClientSettings.DEFAULT);
      client = known;
    }
    return known;
  }

  RunTree tree() {
    RunTree known = tree;
    if (known == null) {
      known = new RunTree(client());
      tree = known;
    }
    return known;
  }

  AttemptScript script() {
    return script;
  }

  VirtualTime time() {
    return time;
  }

  PayloadCodec codec() {
    return codec;
  }

  List<AttemptScript.Recorded> recorded() {
    return script.recorded();
  }
}
