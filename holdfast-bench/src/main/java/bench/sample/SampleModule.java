package bench.sample;

import dev.holdfast.api.run.TaskModule;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.workflow.Workflow;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** A task that says when it started, a workflow with it, and a task that measures its process. */
public final class SampleModule implements TaskModule {
  /** The result is when the handler started, in microseconds of the wall clock. */
  public static final TaskType<String, String> STARTED =
      TaskType.of("sample::started", String.class, String.class);

  /** The result is a {@link ProcessMemory}. */
  public static final TaskType<String, String> MEMORY =
      TaskType.of("sample::memory", String.class, String.class);

  /** A workflow whose only step is {@link #STARTED}. */
  public static final Workflow<String, String> FLOW =
      Workflow.defineWithResult(
          "sample::flow", String.class, flow -> flow.step("started", STARTED, flow.input()));

  @Override
  public void configure(Binder binder) {
    binder.handle(STARTED, (input, context) -> started());
    binder.handle(MEMORY, (input, context) -> ProcessMemory.measure().text());
    binder.workflow(FLOW);
  }

  private static String started() {
    // First: what follows takes time when a version runs for the first time.
    long micros = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    ProcessMemory.note(SampleModule.class.getClassLoader());
    return Ballast.load() > 0 ? Long.toString(micros) : "";
  }
}
