package dev.holdfast.server.testing;

import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.run.TaskModule;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.Step;
import dev.holdfast.api.workflow.Workflow;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.slf4j.LoggerFactory;

/** Tasks and workflows of the tests. */
public final class TestTasks implements TaskModule {
  public static final TaskType<Object, Object> ECHO =
      TaskType.of("test::echo", Object.class, Object.class);
  public static final TaskType<Object, Void> FAIL =
      TaskType.of("test::fail", Object.class).with(job -> job.retry(RetryPolicy.NEVER));
  public static final TaskType<Object, Void> LOG = TaskType.of("test::log", Object.class);
  public static final TaskType<Object, Void> PARK = TaskType.of("test::park", Object.class);
  public static final TaskType<Object, Void> HANG =
      TaskType.of("test::hang", Object.class).with(job -> job.retry(RetryPolicy.NEVER));
  public static final TaskType<Object, Void> BLOCK = TaskType.of("test::block", Object.class);
  public static final Workflow<Object, Void> CHAIN =
      Workflow.define(
          "test::chain",
          Object.class,
          flow -> {
            Step<Object> first = flow.step("first", ECHO, flow.input());
            flow.step("second", ECHO, first);
          });
  public static final Workflow<Object, Void> APPROVAL =
      Workflow.define(
          "test::approval",
          Object.class,
          flow -> {
            Step<Object> approval = flow.awaitSignal("approval", "approved", Object.class);
            flow.step("after", ECHO, approval);
          });
  public static final Workflow<Object, Void> FAILING =
      Workflow.define(
          "test::failing", Object.class, flow -> flow.step("fails", FAIL, flow.input()));

  public static final Workflow<List<Object>, Void> MAP =
      Workflow.define(
          "test::map",
          new TypeRef<List<Object>>() {},
          flow -> flow.map("each", ECHO, flow.input()));

  /** Lets jobs of {@link #BLOCK} end. */
  public final Semaphore release = new Semaphore(0);

  /** Counts jobs of {@link #BLOCK} that have started. */
  public final Semaphore started = new Semaphore(0);

  @Override
  public void configure(Binder binder) {
    binder
        .handle(ECHO, (payload, context) -> payload)
        .handle(
            FAIL,
            (payload, context) -> {
              throw new IllegalStateException("It always fails: " + Map.of());
            })
        .handle(
            LOG,
            (payload, context) -> {
              LoggerFactory.getLogger("test").warn("a line of a job");
            })
        .handle(
            PARK,
            (payload, context) -> {
              context.steps().awaitSignal("go", Object.class, Duration.ofDays(1));
            })
        .handle(
            HANG,
            (payload, context) -> {
              started.release();
              // Does not respond to interruption, as some drivers do.
              release.acquireUninterruptibly();
            })
        .handle(
            BLOCK,
            (payload, context) -> {
              started.release();
              release.acquire();
            })
        .workflow(CHAIN)
        .workflow(APPROVAL)
        .workflow(FAILING)
        .workflow(MAP);
  }
}
