package dev.holdfast.api.workflow;

import dev.holdfast.api.workflow.Rule.Outcome;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a rule can evaluate to, given how its dependencies can end. Both can be too permissive, but
 * never too strict: what is reported as impossible is impossible.
 *
 * @param canHold whether the rule can hold
 * @param canFail whether the rule can be false
 */
record RuleTruth(boolean canHold, boolean canFail) {
  private static final int MOST_COMBINATIONS = 729; // six steps with three outcomes each

  /**
   * Returns what a rule can evaluate to.
   *
   * @param outcomes how each dependency can end; each step that the rule names is a dependency
   */
  static RuleTruth of(Rule rule, Map<String, ? extends Set<Outcome>> outcomes) {
    Map<String, Set<Outcome>> possible = new HashMap<>(outcomes);
    boolean isCombined =
        rule instanceof Rule.All || rule instanceof Rule.Any || rule instanceof Rule.None;
    if (!isCombined) {
      return estimate(rule, possible);
    }
    List<String> relevant = relevant(rule, possible);
    return combinations(relevant, possible) > MOST_COMBINATIONS
        ? estimate(rule, possible)
        : enumerate(rule, relevant, possible);
  }

  /** Returns the dependencies whose outcome can change the rule, if they have several outcomes. */
  private static List<String> relevant(Rule rule, Map<String, Set<Outcome>> outcomes) {
    boolean namesAll =
        RuleAtoms.of(rule)
            .anyMatch(atom -> !(atom instanceof Rule.Ended) && !(atom instanceof Rule.OnContext));
    Collection<String> relevant = namesAll ? outcomes.keySet() : RuleAtoms.steps(rule);
    return relevant.stream()
        .filter(name -> outcomes.getOrDefault(name, Set.of()).size() > 1)
        .toList();
  }

  private static long combinations(List<String> steps, Map<String, Set<Outcome>> outcomes) {
    long product = 1;
    for (String step : steps) {
      product *= outcomes.getOrDefault(step, Set.of()).size();
      if (product > MOST_COMBINATIONS) {
        return product;
      }
    }
    return product;
  }

  /** Tries all combinations of outcomes, because parts of a rule can exclude each other. */
  private static RuleTruth enumerate(
      Rule rule, List<String> open, Map<String, Set<Outcome>> outcomes) {
    if (open.isEmpty()) {
      return estimate(rule, outcomes);
    }
    String step = open.getFirst();
    boolean canHold = false;
    boolean canFail = false;
    for (Outcome outcome : outcomes.getOrDefault(step, Set.of())) {
      Map<String, Set<Outcome>> decided = new HashMap<>(outcomes);
      decided.put(step, EnumSet.of(outcome));
      RuleTruth truth = enumerate(rule, open.subList(1, open.size()), decided);
      canHold |= truth.canHold;
      canFail |= truth.canFail;
    }
    return new RuleTruth(canHold, canFail);
  }

  /** Treats the parts of a rule as independent. Exact if each dependency has one outcome. */
  private static RuleTruth estimate(Rule rule, Map<String, Set<Outcome>> outcomes) {
    Collection<Set<Outcome>> all = outcomes.values();
    return switch (rule) {
      case Rule.AllSucceeded each -> atLeast(all.size(), Outcome.SUCCEEDED, all);
      case Rule.AnySucceeded any -> atLeast(1, Outcome.SUCCEEDED, all);
      case Rule.AllDone done -> new RuleTruth(true, false);
      case Rule.NoneFailed none -> not(atLeast(1, Outcome.FAILED, all));
      case Rule.AnyFailed any -> atLeast(1, Outcome.FAILED, all);
      case Rule.Quorum quorum -> atLeast(quorum.count(), Outcome.SUCCEEDED, all);
      case Rule.Ended ended ->
          atLeast(1, ended.outcome(), List.of(outcomes.getOrDefault(ended.step(), Set.of())));
      case Rule.OnContext context -> new RuleTruth(true, true);
      case Rule.All combined -> all(estimates(combined.rules(), outcomes));
      case Rule.Any combined -> any(estimates(combined.rules(), outcomes));
      case Rule.None combined -> not(any(estimates(combined.rules(), outcomes)));
    };
  }

  private static List<RuleTruth> estimates(List<Rule> rules, Map<String, Set<Outcome>> outcomes) {
    List<RuleTruth> truths = new ArrayList<>();
    rules.forEach(rule -> truths.add(estimate(rule, outcomes)));
    return truths;
  }

  /** At least this number of dependencies have the outcome. */
  private static RuleTruth atLeast(int count, Outcome outcome, Collection<Set<Outcome>> all) {
    long can = all.stream().filter(possible -> possible.contains(outcome)).count();
    long must = all.stream().filter(Set.of(outcome)::equals).count();
    return new RuleTruth(can >= count, must < count);
  }

  private static RuleTruth all(List<RuleTruth> parts) {
    return new RuleTruth(
        parts.stream().allMatch(RuleTruth::canHold), parts.stream().anyMatch(RuleTruth::canFail));
  }

  private static RuleTruth any(List<RuleTruth> parts) {
    return new RuleTruth(
        parts.stream().anyMatch(RuleTruth::canHold), parts.stream().allMatch(RuleTruth::canFail));
  }

  private static RuleTruth not(RuleTruth truth) {
    return new RuleTruth(/* canHold= */ truth.canFail, /* canFail= */ truth.canHold);
  }
}
