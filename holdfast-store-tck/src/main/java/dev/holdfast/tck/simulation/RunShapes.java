package dev.holdfast.tck.simulation;

import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.Flow;
import dev.holdfast.api.workflow.OnError;
import dev.holdfast.api.workflow.Rule;
import dev.holdfast.api.workflow.SignalStep;
import dev.holdfast.api.workflow.Step;
import dev.holdfast.api.workflow.Workflow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Generates small random workflows. All payloads and outputs are JSON text. */
final class RunShapes {
  static final TaskType<String, String> STEP = task("simulated::step");
  static final TaskType<String, String> DURABLE = task("simulated::durable");
  static final TaskType<String, String> UNDO = task("simulated::undo");
  static final TaskType<String, String> LAST = task("simulated::last");

  /** The signal that runs and jobs await. */
  static final String GO = "go";

  /** A signal that runs await for a time and that nothing sends. */
  private static final String TIMED = "timed";

  private static final TypeRef<List<String>> ITEMS = new TypeRef<>() {};
  private static final int MOST_ITEMS = 3;

  private final SplittableRandom random;
  private int number;
  private boolean awaits;

  RunShapes(SplittableRandom random) {
    this.random = random;
  }

  private static TaskType<String, String> task(String name) {
    return TaskType.of(name, String.class, String.class)
        .with(options ->
            options
                .retry(RetryPolicy.fixed(Duration.ofMillis(300)).maxAttempts(2))
                .timeout(Duration.ofSeconds(10)));
  }

  /** Returns a new workflow, whose steps may run other workflows. */
  Workflow<String, Void> next() {
    awaits = false;
    return next(true);
  }

  /** Returns the input of a run: an object with a list for maps. */
  String input() {
    List<Integer> items = new ArrayList<>();
    for (int i = random.nextInt(MOST_ITEMS + 1); i > 0; i--) {
      items.add(i);
    }
    return "{\"items\":%s}".formatted(items);
  }

  private Workflow<String, Void> next(boolean nests) {
    return Workflow.define(
        "simulated::flow-" + ++number,
        String.class,
        flow -> {
          List<Step<?>> steps = new ArrayList<>();
          for (int i = random.nextInt(1, nests ? 5 : 3); i > 0; i--) {
            steps.add(connect(step(flow, "step-" + i, nests), steps));
          }
          if (random.nextInt(3) == 0) {
            flow.finallyStep("last", LAST);
          }
        });
  }

  private Step<?> step(Flow<String> flow, String name, boolean nests) {
    return switch (random.nextInt(8)) {
      case 0 ->
          flow.map(name, STEP, flow.context("items", ITEMS))
              .concurrency(random.nextInt(1, MOST_ITEMS + 1))
              .tolerateFailures(random.nextInt(2));
      case 1 -> flow.sleep(name, millis(50, 1_500));
      case 2 -> signal(flow, name, nests);
      case 3 -> undoable(flow.step(name, DURABLE, flow.input()));
      case 4 -> nests ? flow.workflow(name, next(false), flow.input()) : task(flow, name);
      default -> undoable(task(flow, name));
    };
  }

  private static Step<?> task(Flow<String> flow, String name) {
    return flow.step(name, STEP, flow.input());
  }

  private Step<?> undoable(Step<?> step) {
    return random.nextInt(3) == 0 ? step.compensate(UNDO) : step;
  }

  /**
   * At most one step awaits the signal of a run without a timeout: if the signal is lost, the run
   * never ends.
   */
  private Step<?> signal(Flow<String> flow, String name, boolean isSignalled) {
    if (isSignalled && !awaits && random.nextBoolean()) {
      awaits = true;
      return flow.awaitSignal(name, GO, String.class);
    }
    SignalStep<String> step = flow.awaitSignal(name, TIMED, String.class);
    if (random.nextBoolean()) {
      step.orElse("\"nothing\"");
    }
    return step.within(millis(200, 4_000));
  }

  private Step<?> connect(Step<?> step, List<Step<?>> before) {
    for (Step<?> other : before) {
      if (random.nextInt(5) < 3) {
        step.after(other);
      }
    }
    if (random.nextInt(4) == 0) {
      step.when(Rule.allDone());
    }
    OnError[] reactions = OnError.values();
    return step.onError(reactions[random.nextInt(reactions.length)]);
  }

  private Duration millis(int least, int most) {
    return Duration.ofMillis(random.nextInt(least, most));
  }
}
