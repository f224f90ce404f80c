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
 * end, which decides what the rules of its dependents can evaluate to. Steps that have another
 * problem count as if they could end in any way, so that one mistake is reported once.
 */
final class ReachCheck {
  private static final Set<Outcome> ANY = EnumSet.allOf(Outcome.class);

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
        step.after().forEach(name -> dependencies.put(name, known.getOrDefault(name, ANY)));
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

  private static String describe(StepDefinition step, Map<String, Set<Outcome>> dependencies) {
    Map<String, Set<Outcome>> unlimited = new LinkedHashMap<>(dependencies);
    unlimited.replaceAll((name, outcomes) -> ANY);
    String reason =
        RuleTruth.of(step.rule(), unlimited).canHold()
            ? "its rule cannot hold, because %s; correct the rule or the dependencies"
                .formatted(causes(step.rule(), dependencies, unlimited))
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
  private static String causes(
      Rule rule, Map<String, Set<Outcome>> dependencies, Map<String, Set<Outcome>> unlimited) {
    Map<String, Set<Outcome>> tried = new LinkedHashMap<>(unlimited);
    Map<String, Set<Outcome>> causes = new LinkedHashMap<>();
    dependencies.forEach((name, outcomes) -> {
      tried.put(name, outcomes);
      if (!RuleTruth.of(rule, tried).canHold()) {
        causes.put(name, outcomes);
        tried.put(name, ANY);
      }
    });
    return causes.entrySet().stream()
        .map(cause -> "step '%s' %s".formatted(cause.getKey(), limit(cause.getValue())))
        .collect(Collectors.joining(" and "));
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
