package dev.holdfast.engine.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.trigger.Condition;
import dev.holdfast.api.workflow.OnError;
import dev.holdfast.api.workflow.Rule;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunMark;
import dev.holdfast.engine.store.RunPhase;
import dev.holdfast.engine.workflow.FakeRun.Open;
import dev.holdfast.engine.workflow.Graph.Part;
import dev.holdfast.engine.workflow.Graph.Work;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Facts about all runs, checked with random graphs, outcomes and orders of events. */
class GraphPlannerPropertyTest {
  private static final Graph CHILD = new GraphSketch().task("inner").graph();
  private static final String CHILD_HASH = GraphJson.definition(CHILD).hash();
  private static final String INPUT = "{\"list\":[1,2],\"n\":0}";

  /** How a run ended. */
  private record End(
      String steps,
      RunState state,
      @Nullable String result,
      Map<Open, @Nullable String> payloads) {}

  /** The planners of two nodes that know the same graphs. */
  private static List<GraphPlanner> nodes(Graph graph) {
    return List.of(FakeRun.planner(graph, CHILD), FakeRun.planner(graph, CHILD));
  }

  @Test
  void outcomesDoNotDependOnTheOrderInWhichStepsEndNorOnTheNodesThatAdvance() {
    for (long seed = 0; seed < 2_000; seed++) {
      List<GraphPlanner> nodes = nodes(RandomGraph.of(seed, true, CHILD_HASH));
      End first = end(new Drive(nodes, seed, seed, true).toEnd());
      for (long order = 1; order < 3; order++) {
        End other = end(new Drive(nodes, seed, seed + order * 1_000_003, true).toEnd());
        assertThat(other).as("seed %d, order %d", seed, order).isEqualTo(first);
      }
    }
  }

  private static End end(FakeRun run) {
    Map<Open, @Nullable String> payloads = new HashMap<>(run.payloads);
    // Which elements of a failed map had their turn depends on the order.
    payloads.keySet().removeIf(open -> open.item() >= 0);
    return new End(run.steps, run.state, run.last.result(), payloads);
  }

  @Test
  void everyRunEndsAndStepsStartOnlyIfTheirRulesAllow() {
    Map<RunState, Integer> ends = new HashMap<>();
    for (long seed = 0; seed < 2_500; seed++) {
      Graph graph = RandomGraph.of(seed, false, CHILD_HASH);
      Drive drive = new Drive(nodes(graph), seed, seed, false);
      FakeRun run = drive.toEnd();
      ends.merge(run.state, 1, Integer::sum);
      for (int step = 0; step < graph.steps().size(); step++) {
        if (!drive.kept.get(step)) {
          check(seed, run, step, drive.stopped);
        }
      }
    }
    assertThat(ends).as("the graphs are varied").hasSize(3);
    assertThat(ends.values()).allMatch(count -> count > 100);
  }

  private static void check(long seed, FakeRun run, int step, boolean stopped) {
    Graph.Node node = run.graph.steps().get(step);
    StepState state = StepState.of(run.steps.charAt(step));
    assertThat(state.hasEnded()).as("seed %d: %s", seed, run.steps).isTrue();
    if (node.part() == Part.COMPENSATION) {
      if (state != StepState.SKIPPED) {
        assertThat(run.steps.charAt(node.compensates())).isEqualTo('S');
      }
      return;
    }
    if (node.eager()) {
      return;
    }
    boolean allowed = holds(run, node.rule(), step);
    if (state != StepState.SKIPPED) {
      assertThat(allowed).as("seed %d, step %d ran: %s", seed, step, run.steps).isTrue();
    } else if (!stopped || node.part() == Part.FINALLY) {
      assertThat(allowed).as("seed %d, step %d skipped: %s", seed, step, run.steps).isFalse();
    }
  }

  /** The rules once more, in two-valued logic, after the fact. */
  private static boolean holds(FakeRun run, Rule rule, int step) {
    List<Integer> after = run.graph.steps().get(step).after();
    long good = after.stream().filter(each -> run.steps.charAt(each) == 'S').count();
    long bad = after.stream().filter(each -> "FC".indexOf(run.steps.charAt(each)) >= 0).count();
    return switch (rule) {
      case Rule.AllSucceeded all -> good == after.size();
      case Rule.AnySucceeded any -> good > 0;
      case Rule.AllDone done -> true;
      case Rule.NoneFailed none -> bad == 0;
      case Rule.AnyFailed any -> bad > 0;
      case Rule.Quorum quorum -> good >= quorum.count();
      case Rule.Ended ended -> {
        String letters =
            switch (ended.outcome()) {
              case SUCCEEDED -> "S";
              case FAILED -> "FC";
              case SKIPPED -> "K";
            };
        yield letters.indexOf(run.steps.charAt(run.at(ended.step()))) >= 0;
      }
      case Rule.OnContext on -> wrote(run, ((Condition.Exists) on.condition()).field());
      case Rule.All all -> all.rules().stream().allMatch(each -> holds(run, each, step));
      case Rule.Any any -> any.rules().stream().anyMatch(each -> holds(run, each, step));
      case Rule.None none -> none.rules().stream().noneMatch(each -> holds(run, each, step));
    };
  }

  /** Tasks whose output is an object write the field by.NAME. */
  private static boolean wrote(FakeRun run, String field) {
    int source = run.at(field.substring("by.".length()));
    return run.steps.charAt(source) == 'S'
        && run.graph.steps().get(source).work() instanceof Work.Task
        && String.valueOf(run.results.get(source).output()).contains("\"by\"");
  }

  /**
   * Lets the things happen to a run that can happen, in an order given by a seed, which also
   * decides which node advances it.
   */
  private static final class Drive {
    private final List<GraphPlanner> nodes;
    private final FakeRun run;
    private final long outcomes;
    private final Random random;
    private final boolean calm;
    private boolean stopped;
    private int signals;
    private int controls;
    private int retries;

    /** How many jobs each step had after the last retry: failed elements all run at once again. */
    private final Map<Integer, Long> again = new HashMap<>();

    /** The steps that the last retry did not open: what they depend on may have changed since. */
    private final BitSet kept = new BitSet();

    Drive(List<GraphPlanner> nodes, long outcomes, long order, boolean calm) {
      this.nodes = nodes;
      this.run = new FakeRun(nodes.getFirst(), 1, INPUT);
      this.outcomes = outcomes;
      this.random = new Random(order);
      this.calm = calm;
    }

    FakeRun toEnd() {
      for (int turns = 0; !run.state.hasEnded() || retriesTheEnd(); turns++) {
        if (run.state.hasEnded()) {
          continue; // The retry has failed at once, because of a step that needs no job.
        }
        if (turns > 2_000) {
          throw new AssertionError(
              "The run does not end: %s %s %s".formatted(run.state, run.phase, run.steps));
        }
        turn();
        stopped |= run.phase == RunPhase.STOPPING || run.phase == RunPhase.COMPENSATE;
      }
      assertThat(run.jobs.keySet()).as("jobs of an ended run").isEmpty();
      for (int step = 0; step < run.steps.length(); step++) {
        Graph.Node node = run.graph.steps().get(step);
        stopped |=
            node.part() == Part.MAIN
                && node.onError() == OnError.FAIL
                && "FC".indexOf(run.steps.charAt(step)) >= 0;
      }
      stopped |= String.valueOf(run.reason).startsWith("DEADLINE");
      return run;
    }

    /** Whether a calm run is retried does not depend on the order. */
    private boolean retriesTheEnd() {
      boolean again =
          run.state != RunState.SUCCEEDED
              && (calm
                  ? retries == 0 && new Random(outcomes).nextBoolean()
                  : retries < 3 && random.nextBoolean());
      if (again) {
        assertThat(run.jobs.keySet()).as("jobs of an ended run").isEmpty();
        retry();
      }
      return again;
    }

    private void retry() {
      retries++;
      stopped = false;
      String open = run.planner.reset(1, run.steps);
      kept.clear();
      IntStream.range(0, open.length())
          .filter(step -> open.charAt(step) != StepState.PENDING.letter())
          .forEach(kept::set);
      run.retry();
      IntStream.range(0, open.length()).forEach(step -> again.put(step, openJobs(step)));
    }

    private void turn() {
      List<Runnable> choices = new ArrayList<>();
      if (!run.marks.isEmpty()) {
        choices.add(this::advance);
        choices.add(this::advance);
      }
      run.jobs.keySet().forEach(open -> choices.add(() -> end(open)));
      run.timers.stream()
          .filter(timer -> timer.kind() == RunMark.Kind.SLEPT || !calm)
          .forEach(timer -> choices.add(() -> run.fire(timer.kind(), timer.step())));
      for (int step = 0; step < run.steps.length(); step++) {
        if (run.steps.charAt(step) == 'W'
            && run.graph.steps().get(step).work() instanceof Work.Signal signal) {
          choices.add(() -> signal(signal.signal()));
        }
      }
      if (run.state == RunState.PAUSED) {
        choices.add(run::resume);
        if (!calm && run.phase == RunPhase.MAIN && retries < 3) {
          choices.add(this::retry);
        }
      } else if (random.nextInt(10) == 0 && controls++ < 3) {
        choices.add(this::control);
      }
      if (choices.isEmpty()) {
        throw new AssertionError(
            "The run is stuck: %s %s %s".formatted(run.state, run.phase, run.steps));
      }
      choices.get(random.nextInt(choices.size())).run();
    }

    private void advance() {
      run.planner = nodes.get(random.nextInt(nodes.size()));
      run.advanceOnce();
      for (int step = 0; step < run.steps.length(); step++) {
        if (run.graph.steps().get(step).work() instanceof Work.Map map && map.concurrency() > 0) {
          int each = step;
          if (openJobs(each) > Math.max(map.concurrency(), again.getOrDefault(each, 0L))) {
            throw new AssertionError("%d jobs of %s".formatted(openJobs(each), map));
          }
        }
      }
    }

    private long openJobs(int step) {
      return run.jobs.keySet().stream().filter(job -> job.step() == step).count();
    }

    private void control() {
      if (run.state == RunState.RUNNING && (calm || random.nextInt(3) > 0)) {
        run.pause();
      } else if (!calm && run.state == RunState.RUNNING) {
        stopped = true;
        run.cancel();
      }
    }

    private void signal(String name) {
      String payload = calm ? "\"%s\"".formatted(name) : "1";
      run.signals.add(new RunData.Signal(name, String.valueOf(signals++), payload));
      run.look();
    }

    /**
     * What happens to a job depends on its step and item, not on the time at which it ends. After a
     * retry all succeed: which elements of a failed map had run before depends on the order.
     */
    private void end(Open open) {
      Random fate = new Random(outcomes * 31 + open.step() * 1_009L + open.item());
      fate.nextInt();
      int choice = fate.nextInt(100);
      StepState outcome =
          choice < 75 || (calm && retries > 0)
              ? StepState.SUCCEEDED
              : choice < 93 ? StepState.FAILED : StepState.CANCELLED;
      String name = run.graph.steps().get(open.step()).name();
      String output =
          switch (fate.nextInt(5)) {
            case 0 -> null;
            case 1 -> "[%d]".formatted(open.step());
            case 2 -> "3";
            default -> "{\"n\":%d,\"by\":{\"%s\":1},\"list\":[9]}".formatted(open.step(), name);
          };
      run.end(open, outcome, outcome == StepState.SUCCEEDED ? output : null);
    }
  }
}
