package dev.holdfast.engine.workflow;

import dev.holdfast.api.trigger.Condition;
import dev.holdfast.api.workflow.OnError;
import dev.holdfast.api.workflow.Rule;
import dev.holdfast.engine.workflow.Graph.Input;
import dev.holdfast.engine.workflow.Graph.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Generates graphs from seeds. */
final class RandomGraph {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static final List<Rule.Outcome> OUTCOMES =
      List.of(Rule.Outcome.SUCCEEDED, Rule.Outcome.FAILED, Rule.Outcome.SKIPPED);

  private final Random random;
  private final boolean calm;
  private final GraphSketch sketch = new GraphSketch();
  private final List<String> names = new ArrayList<>();

  private RandomGraph(long seed, boolean calm) {
    this.random = new Random(seed);
    this.calm = calm;
  }

  /**
   * Returns the graph of a seed.
   *
   * @param calm whether it has only what leaves the outcome independent of the order of events:
   *     failures that are accepted, no eager steps, no timeouts, no shared signals
   */
  static Graph of(long seed, boolean calm, String childHash) {
    return new RandomGraph(seed, calm).build(childHash);
  }

  private Graph build(String childHash) {
    int count = 1 + random.nextInt(8);
    for (int i = 0; i < count; i++) {
      add("s" + i, childHash);
    }
    if (!calm && random.nextInt(4) == 0) {
      sketch.mustSucceed(names.get(random.nextInt(names.size())));
    }
    if (!calm && random.nextInt(4) == 0) {
      sketch.deadline(MINUTE);
    }
    if (random.nextBoolean()) {
      sketch.result(
          random.nextBoolean()
              ? new Input.Context(null)
              : new Input.Output(random.nextInt(names.size()), null));
    }
    int last = random.nextInt(3);
    for (int i = 0; i < last; i++) {
      OnError onError = calm ? OnError.CONTINUE : onError();
      if (i == 0) {
        sketch.lastly("z0", Rule.allSucceeded(), onError);
      } else {
        sketch.lastly("z1", rule(List.of("z0")), onError, 0);
      }
    }
    return sketch.graph();
  }

  private void add(String name, String childHash) {
    List<String> after = new ArrayList<>();
    for (String before : names) {
      if (random.nextInt(3) == 0) {
        after.add(before);
      }
    }
    sketch.add(name, work(name, after, childHash), after.toArray(String[]::new));
    names.add(name);
    if (!after.isEmpty() && random.nextInt(3) > 0) {
      sketch.when(rule(after));
    }
    sketch.onError(calm ? OnError.CONTINUE : onError());
    if (!calm && random.nextInt(6) == 0) {
      sketch.eager();
    }
    if (!calm && random.nextInt(5) == 0) {
      sketch.within(MINUTE);
    }
    if (random.nextInt(3) == 0) {
      sketch.compensated();
    }
  }

  private OnError onError() {
    int choice = random.nextInt(10);
    return choice < 2 ? OnError.FAIL : choice < 3 ? OnError.PAUSE : OnError.CONTINUE;
  }

  private Work work(String name, List<String> after, String childHash) {
    return switch (random.nextInt(12)) {
      case 0, 1, 2 ->
          new Work.Map(
              GraphSketch.job(name), items(after), random.nextInt(4), random.nextInt(3), null);
      case 3 -> new Work.Child("test::flow", childHash, input(after));
      case 4 -> new Work.Sleep(MINUTE);
      case 5 -> new Work.Signal(calm ? name : "go", random.nextBoolean() ? "\"none\"" : null);
      default -> new Work.Task(GraphSketch.job(name), input(after));
    };
  }

  private Input items(List<String> after) {
    return switch (random.nextInt(4)) {
      case 0 -> new Input.Context("list");
      case 1 -> input(after);
      default ->
          new Input.Constant(
              List.of("[]", "[1]", "[1,2,3]", "[{},2,3,4,5,6]").get(random.nextInt(4)));
    };
  }

  private Input input(List<String> after) {
    return switch (random.nextInt(5)) {
      case 0 -> new Input.RunInput();
      case 1 -> new Input.Constant("7");
      case 2 ->
          after.isEmpty()
              ? new Input.Context("list")
              : new Input.Output(
                  sketch.position(after.get(random.nextInt(after.size()))),
                  random.nextBoolean() ? null : "n");
      default -> new Input.Context(null);
    };
  }

  private Rule rule(List<String> after) {
    String step = after.get(random.nextInt(after.size()));
    return switch (random.nextInt(12)) {
      case 0 -> Rule.anySucceeded();
      case 1, 2 -> Rule.allDone();
      case 3 -> Rule.noneFailed();
      case 4 -> Rule.anyFailed();
      case 5 -> Rule.quorum(1 + random.nextInt(after.size()));
      case 6 -> new Rule.Ended(step, OUTCOMES.get(random.nextInt(3)));
      case 7 -> Rule.all(rule(after), rule(after));
      case 8 -> Rule.any(rule(after), rule(after));
      case 9 -> Rule.none(rule(after));
      case 10 -> Rule.context(Condition.field("by." + step).exists());
      default -> Rule.allSucceeded();
    };
  }
}
