package dev.holdfast.bench.chaos;

import dev.holdfast.api.workflow.StepDefinition;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.bench.chaos.Evidence.Effect;
import dev.holdfast.bench.chaos.RunEvidence.EndedRun;
import dev.holdfast.bench.chaos.RunEvidence.ParentStep;
import dev.holdfast.bench.chaos.RunEvidence.StepJob;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/** Compares the effects of the steps of runs with their workflows and with the stored state. */
final class RunCheck {
  private final Map<UUID, List<String>> states = new HashMap<>();
  private final Map<ParentStep, Set<UUID>> children = new HashMap<>();
  private final Map<UUID, Map<Integer, List<StepJob>>> jobs = new HashMap<>();
  private final Map<UUID, Times> times = new HashMap<>();
  private final Map<UUID, Integer> bookings = new HashMap<>();
  private final List<String> sentences = new ArrayList<>();
  private int wrongRuns;
  private int earlySteps;
  private int wrongBookings;

  /** When the first and the last effect of something happened. */
  private record Times(long first, long last) {
    Times and(Times other) {
      return new Times(Math.min(first, other.first), Math.max(last, other.last));
    }
  }

  private RunCheck(RunEvidence evidence) {
    for (EndedRun run : evidence.ended()) {
      states.computeIfAbsent(run.id(), fresh -> new ArrayList<>()).add(run.state());
      if (run.parent() != null) {
        children.computeIfAbsent(run.parent(), fresh -> new HashSet<>()).add(run.id());
      }
    }
    for (StepJob job : evidence.jobs()) {
      jobs.computeIfAbsent(job.run(), fresh -> new HashMap<>())
          .computeIfAbsent(job.step(), fresh -> new ArrayList<>())
          .add(job);
    }
    for (Effect effect : evidence.effects()) {
      times.merge(effect.job(), new Times(effect.nanos(), effect.nanos()), Times::and);
    }
    evidence.bookings().forEach(job -> bookings.merge(job, 1, Integer::sum));
  }

  static Findings check(RunEvidence evidence) {
    RunCheck check = new RunCheck(evidence);
    evidence.started().forEach(check::run);
    evidence.jobs().forEach(check::bookedOnce);
    return Findings.ofRuns(
        check.wrongRuns, check.earlySteps, check.wrongBookings, List.copyOf(check.sentences));
  }

  private void run(UUID run, Workflow<?, ?> workflow) {
    succeeded(run);
    steps(run, workflow);
  }

  private void succeeded(UUID run) {
    List<String> ends = states.getOrDefault(run, List.of());
    if (!ends.equals(List.of("SUCCEEDED"))) {
      wrongRuns++;
      sentences.add(
          "Run %s was to succeed once, but %s."
              .formatted(run, ends.isEmpty() ? "has not ended" : "ended " + ends));
    }
  }

  private void steps(UUID run, Workflow<?, ?> workflow) {
    List<StepDefinition> steps = workflow.steps();
    for (int step = 0; step < steps.size(); step++) {
      StepDefinition definition = steps.get(step);
      expect(run, definition, "jobs that ended", ownJobs(run, step).size(), jobsOf(definition));
      if (definition.work() instanceof StepDefinition.Work.RunWorkflow child) {
        Set<UUID> started = children.getOrDefault(new ParentStep(run, step), Set.of());
        expect(run, definition, "child runs", started.size(), 1);
        started.forEach(each -> run(each, child.workflow()));
      }
      for (int before : ancestors(steps, step)) {
        inOrder(run, allJobs(run, before), allJobs(run, step));
      }
    }
  }

  private void expect(UUID run, StepDefinition step, String what, int actual, int expected) {
    if (actual != expected) {
      wrongRuns++;
      sentences.add(
          "Step '%s' of run %s has %d %s instead of %d."
              .formatted(step.name(), run, actual, what, expected));
    }
  }

  private List<StepJob> ownJobs(UUID run, int step) {
    return jobs.getOrDefault(run, Map.of()).getOrDefault(step, List.of());
  }

  /** Returns the jobs of a step, and those of the child runs that it started. */
  private List<StepJob> allJobs(UUID run, int step) {
    List<StepJob> all = new ArrayList<>(ownJobs(run, step));
    for (UUID child : children.getOrDefault(new ParentStep(run, step), Set.of())) {
      jobs.getOrDefault(child, Map.of()).keySet().forEach(own -> all.addAll(allJobs(child, own)));
    }
    return all;
  }

  private static int jobsOf(StepDefinition step) {
    return switch (step.work()) {
      case StepDefinition.Work.RunTask task -> 1;
      case StepDefinition.Work.MapTask map -> ChaosFlows.ITEMS;
      case StepDefinition.Work.RunWorkflow child -> 0;
      case StepDefinition.Work.Sleep sleep -> 0;
      case StepDefinition.Work.AwaitSignal signal -> 0;
    };
  }

  /** Returns the positions of all steps that must end before a step starts. */
  private static Set<Integer> ancestors(List<StepDefinition> steps, int step) {
    Set<Integer> found = new TreeSet<>();
    Set<String> names = new HashSet<>(steps.get(step).after());
    boolean isLast = steps.get(step).isFinally();
    for (int before = step - 1; before >= 0; before--) {
      if (names.contains(steps.get(before).name()) || (isLast && !steps.get(before).isFinally())) {
        found.add(before);
        names.addAll(steps.get(before).after());
      }
    }
    return found;
  }

  private void inOrder(UUID run, List<StepJob> before, List<StepJob> after) {
    for (StepJob one : before) {
      for (StepJob other : after) {
        Times earlier = times.get(one.job());
        Times later = times.get(other.job());
        if (earlier != null && later != null && later.first <= earlier.last) {
          earlySteps++;
          sentences.add(
              "Run %s: step %d had effects %d us before the last one of step %d, on which it depends."
                  .formatted(run, other.step(), (earlier.last - later.first) / 1000, one.step()));
        }
      }
    }
  }

  private void bookedOnce(StepJob job) {
    int expected = job.task().equals(ChaosFlows.BOOK.name()) ? 1 : 0;
    int actual = bookings.getOrDefault(job.job(), 0);
    if (actual != expected) {
      wrongBookings++;
      sentences.add(
          "Job %s of step %d of run %s has committed its transaction %d times."
              .formatted(job.job(), job.step(), job.run(), actual));
    }
  }
}
