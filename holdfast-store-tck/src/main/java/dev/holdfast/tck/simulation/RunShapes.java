package dev.holdfast.tck.simulation;

import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.Flow;
import dev.holdfast.api.workflow.MaxActive;
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

  /** The field of the input by which runs are limited, and how many values it has. */
  private static final String KEY = "key";

  private static final int KEYS = 2;

  private final SplittableRandom seeds;
  private int number;

  RunShapes(SplittableRandom random) {
    this.seeds = random;
  }

  /**
   * A workflow.
   *
   * @param newer another version of it, which has one step more
   * @param runs how many runs of it to start
   */
  record Shape(Workflow<String, Void> workflow, Workflow<String, Void> newer, int runs) {}

  private static TaskType<String, String> task(String name) {
    return TaskType.of(name, String.class, String.class)
        .with(options ->
            options
                .retry(RetryPolicy.fixed(Duration.ofMillis(300)).maxAttempts(2))
                .timeout(Duration.ofSeconds(10)));
  }

  /** Returns a new workflow, whose steps may run other workflows. */
  Shape next() {
    String name = "simulated::flow-" + ++number;
    long seed = seeds.nextLong();
    boolean isLimited = seeds.nextInt(4) == 0;
    return new Shape(
        new Drawing(name, seed, isLimited).workflow(false),
        new Drawing(name, seed, isLimited).workflow(true),
        isLimited ? seeds.nextInt(2, 5) : 1);
  }

  /** Returns the input of a run: an object with a list for maps, and a key for limits. */
  String input() {
    List<Integer> items = new ArrayList<>();
    for (int i = seeds.nextInt(MOST_ITEMS + 1); i > 0; i--) {
      items.add(i);
    }
    return "{\"%s\":%d,\"items\":%s}".formatted(KEY, seeds.nextInt(KEYS), items);
  }

  /** Returns the part of an input by which runs are limited. */
  static String keyOf(String input) {
    return input.substring(0, input.indexOf(','));
  }

  /** Draws one workflow. Drawings with the same seed give the same steps. */
  private static final class Drawing {
    private final String name;
    private final SplittableRandom random;
    private final boolean isLimited;
    private boolean awaits;

    Drawing(String name, long seed, boolean isLimited) {
      this.name = name;
      this.random = new SplittableRandom(seed);
      this.isLimited = isLimited;
    }

    /**
     * Returns the workflow.
     *
     * @param more whether it has another step, which comes first and so changes the position of all
     *     others
     */
    Workflow<String, Void> workflow(boolean more) {
      return workflow(name, true, more);
    }

    private Workflow<String, Void> workflow(String called, boolean nests, boolean more) {
      return Workflow.define(
          called,
          String.class,
          flow -> {
            if (more) {
              task(flow, "more").onError(OnError.CONTINUE);
            }
            List<Step<?>> steps = new ArrayList<>();
            for (int i = random.nextInt(1, nests ? 5 : 3); i > 0; i--) {
              steps.add(connect(step(flow, "step-" + i, nests), steps));
            }
            if (random.nextInt(3) == 0) {
              flow.finallyStep("last", LAST);
            }
            if (random.nextInt(4) == 0) {
              flow.deadline(millis(500, 8_000));
            }
            if (isLimited && (nests || random.nextBoolean())) {
              flow.maxActive(limit());
            }
          });
    }

    private Step<?> child(Flow<String> flow, String step) {
      return flow.workflow(step, workflow(name + "-" + step, false, false), flow.input());
    }

    private MaxActive limit() {
      MaxActive.OnFull[] reactions = MaxActive.OnFull.values();
      MaxActive limit =
          MaxActive.of(random.nextInt(1, 3)).onFull(reactions[random.nextInt(reactions.length)]);
      return random.nextBoolean() ? limit.per(KEY) : limit;
    }

    private Step<?> step(Flow<String> flow, String called, boolean nests) {
      return switch (random.nextInt(8)) {
        case 0 ->
            flow.map(called, STEP, flow.context("items", ITEMS))
                .concurrency(random.nextInt(1, MOST_ITEMS + 1))
                .tolerateFailures(random.nextInt(2));
        case 1 -> flow.sleep(called, millis(50, 1_500));
        case 2 -> signal(flow, called, nests);
        case 3 -> undoable(flow.step(called, DURABLE, flow.input()));
        case 4 -> nests ? child(flow, called) : task(flow, called);
        default -> undoable(task(flow, called));
      };
    }

    private static Step<?> task(Flow<String> flow, String called) {
      return flow.step(called, STEP, flow.input());
    }

    private Step<?> undoable(Step<?> step) {
      return random.nextInt(3) == 0 ? step.compensate(UNDO) : step;
    }

    /**
     * At most one step awaits the signal of a run without a timeout: if the signal is lost, the run
     * never ends.
     */
    private Step<?> signal(Flow<String> flow, String called, boolean isSignalled) {
      if (isSignalled && !awaits && random.nextBoolean()) {
        awaits = true;
        return flow.awaitSignal(called, GO, String.class);
      }
      SignalStep<String> step = flow.awaitSignal(called, TIMED, String.class);
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
}
