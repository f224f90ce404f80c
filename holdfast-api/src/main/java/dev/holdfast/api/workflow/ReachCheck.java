package dev.holdfast.api.workflow;

import dev.holdfast.api.workflow.Rule.Outcome;
import dev.holdfast.api.workflow.StepDefinition.Work;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Finds steps that can never run, because their rule cannot hold however their dependencies end.
 *
 * <p>Works from the first steps to the last: what a rule can evaluate to decides how its step can
 * end, which decides what the rules of its dependents can evaluate to. No rule sees the failure of
 * a step that fails the run: then the run starts nothing more except finally steps, which depend on
 * each other only. A run that a failed step pauses can be resumed. Steps that have another problem
 * count as if they could end in any way, so that one mistake is reported once.
 */
final class ReachCheck {
  private static final Set<Outcome> ANY = EnumSet.allOf(Outcome.class);
  private static final String FAILS_RUN = "fails the run if it fails";

  private final StepGraph graph;
  private final Map<String, Set<Outcome>> known = new HashMap<>();

  ReachCheck(StepGraph graph) {
    this.graph = graph;
  }

  /** Returns the problems by the name of the step. */
  Map<String, String> problems() {
    Map<String, String> problems = new HashMap<>();
    for (StepDefinition step : graph.inOrder()) {
      if (step.after().containsAll(RuleAtoms.steps(step.rule()))) {
        Map<String, Set<Outcome>> dependencies = new LinkedHashMap<>();
        step.after().forEach(name -> dependencies.put(name, seen(name)));
        RuleTruth truth = RuleTruth.of(step.rule(), dependencies);
        if (!truth.canHold()) {
          problems.put(step.name(), describe(step, dependencies));
        }
        if (graph.count(step.name()) == 1) {
          known.put(step.name(), outcomes(step, truth));
        }
      }
    }
    return problems;
  }

  /** Returns the outcomes of a step that the rules of its dependents can see. */
  private Set<Outcome> seen(String name) {
    StepDefinition step = graph.find(name);
    boolean failsRun =
        step != null
            && !step.isFinally()
            && step.onError() == OnError.FAIL
            && known.containsKey(name);
    Set<Outcome> seen = EnumSet.copyOf(ends(name));
    if (failsRun) {
      seen.remove(Outcome.FAILED);
    }
    return seen;
  }

  private Set<Outcome> ends(String name) {
    return known.getOrDefault(name, ANY);
  }

  private static Set<Outcome> outcomes(StepDefinition step, RuleTruth truth) {
    Set<Outcome> outcomes = EnumSet.noneOf(Outcome.class);
    if (truth.canHold()) {
      outcomes.add(Outcome.SUCCEEDED);
      boolean cannotFail = step.work() instanceof Work.Sleep && step.timeout() == null;
      if (!cannotFail) {
        outcomes.add(Outcome.FAILED);
      }
    }
    if (truth.canFail()) {
      outcomes.add(Outcome.SKIPPED);
    }
    return outcomes;
  }

  private String describe(StepDefinition step, Map<String, Set<Outcome>> dependencies) {
    Map<String, Set<Outcome>> unlimited = new LinkedHashMap<>(dependencies);
    unlimited.replaceAll((name, outcomes) -> ANY);
    String reason =
        RuleTruth.of(step.rule(), unlimited).canHold()
            ? "its rule cannot hold, because " + causes(step.rule(), dependencies, unlimited)
            : mistake(step);
    return "Step '%s' can never run: %s.".formatted(step.name(), reason);
  }

  /** Describes a rule that cannot hold, whatever the dependencies are. */
  private static String mistake(StepDefinition step) {
    int dependencies = step.after().size();
    if (dependencies == 0 && RuleAtoms.of(step.rule()).anyMatch(ReachCheck::needsDependencies)) {
      return "its rule needs dependencies, and it has none; add them with after";
    }
    int quorum =
        RuleAtoms.needed(step.rule())
            .mapToInt(rule -> rule instanceof Rule.Quorum needed ? needed.count() : 0)
            .max()
            .orElse(0);
    return quorum > dependencies
        ? "its rule needs %d dependencies to succeed, and it has %d; lower the quorum or add dependencies"
            .formatted(quorum, dependencies)
        : "its rule contradicts itself; correct the rule";
  }

  private static boolean needsDependencies(Rule atom) {
    return atom instanceof Rule.AnySucceeded
        || atom instanceof Rule.AnyFailed
        || atom instanceof Rule.Quorum;
  }

  /** Describes the dependencies without whose limits the rule could hold, and no others. */
  private String causes(
      Rule rule, Map<String, Set<Outcome>> dependencies, Map<String, Set<Outcome>> unlimited) {
    Map<String, Set<Outcome>> tried = new LinkedHashMap<>(unlimited);
    Map<String, String> causes = new LinkedHashMap<>();
    dependencies.forEach((name, outcomes) -> {
      tried.put(name, outcomes);
      if (!RuleTruth.of(rule, tried).canHold()) {
        tried.put(name, ends(name));
        causes.put(name, RuleTruth.of(rule, tried).canHold() ? FAILS_RUN : limit(ends(name)));
        tried.put(name, ANY);
      }
    });
    boolean onlyFailures = causes.values().stream().allMatch(FAILS_RUN::equals);
    return causes.entrySet().stream()
            .map(cause -> "step '%s' %s".formatted(cause.getKey(), cause.getValue()))
            .collect(Collectors.joining(" and "))
        + (onlyFailures ? "; set onError(CONTINUE)" : "; correct the rule or the dependencies");
  }

  private static String limit(Set<Outcome> outcomes) {
    if (!outcomes.contains(Outcome.SUCCEEDED)) {
      return "can never run";
    }
    if (outcomes.contains(Outcome.FAILED)) {
      return "is never skipped";
    }
    return outcomes.contains(Outcome.SKIPPED) ? "cannot fail" : "can only succeed";
  }
}
