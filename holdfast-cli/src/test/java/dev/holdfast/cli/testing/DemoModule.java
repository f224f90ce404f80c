package dev.holdfast.cli.testing;

import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.run.TaskModule;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.workflow.Step;
import dev.holdfast.api.workflow.Workflow;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** What the servers of the tests run. */
public final class DemoModule implements TaskModule {
  private static final TaskType<Object, Object> ECHO =
      TaskType.of("cli::echo", Object.class, Object.class);
  private static final TaskType<Object, Void> FAIL =
      TaskType.of("cli::fail", Object.class).with(job -> job.retry(RetryPolicy.NEVER));

  private static final Workflow<Object, Object> CHAIN =
      Workflow.defineWithResult(
          "cli::chain",
          Object.class,
          flow -> flow.step("second", ECHO, flow.step("first", ECHO, flow.input())));

  private static final Workflow<Object, Void> APPROVAL =
      Workflow.define(
          "cli::approval",
          Object.class,
          flow -> {
            Step<Object> before = flow.step("before", ECHO, flow.input());
            flow.step(
                "ship", ECHO, flow.awaitSignal("approval", "approved", Object.class).after(before));
          });

  /**
   * A parcel that takes long to pack the first time.
   *
   * @param started the file that the first attempt creates
   */
  public record Parcel(String started) {}

  private static final TaskType<Parcel, Object> PACK =
      TaskType.of("cli::pack", Parcel.class, Object.class);

  private static final Workflow<Parcel, Void> PARCEL =
      Workflow.define(
          "cli::parcel",
          Parcel.class,
          flow -> {
            Step<Object> packed = flow.step("pack", PACK, flow.input());
            flow.step(
                "ship", ECHO, flow.awaitSignal("approval", "approved", Object.class).after(packed));
          });

  private static final Workflow<Object, Void> FAILING =
      Workflow.define("cli::failing", Object.class, flow -> flow.step("fails", FAIL, flow.input()));

  @Override
  public void configure(Binder binder) {
    binder
        .handle(ECHO, (payload, context) -> payload)
        .handle(
            FAIL,
            (payload, context) -> {
              throw new IllegalStateException("No \u001b[31mboxes\nleft");
            })
        .handle(PACK, (parcel, context) -> pack(Path.of(parcel.started())))
        .workflow(CHAIN)
        .workflow(PARCEL)
        .workflow(APPROVAL)
        .workflow(FAILING);
  }

  /** Never ends, unless an earlier attempt has started: the process of that one was killed. */
  private static Object pack(Path started) throws IOException, InterruptedException {
    try {
      Files.createFile(started);
    } catch (FileAlreadyExistsException again) {
      return "packed";
    }
    new CountDownLatch(1).await();
    return "never";
  }
}
