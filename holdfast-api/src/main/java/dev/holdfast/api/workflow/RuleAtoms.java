package dev.holdfast.api.workflow;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The parts of a rule that are not combinations of other rules. */
final class RuleAtoms {
  private RuleAtoms() {}

  static Stream<Rule> of(Rule rule) {
    return switch (rule) {
      case Rule.All all -> all.rules().stream().flatMap(RuleAtoms::of);
      case Rule.Any any -> any.rules().stream().flatMap(RuleAtoms::of);
      case Rule.None none -> none.rules().stream().flatMap(RuleAtoms::of);
      case Rule.AllSucceeded atom -> Stream.of(atom);
      case Rule.AnySucceeded atom -> Stream.of(atom);
      case Rule.AllDone atom -> Stream.of(atom);
      case Rule.NoneFailed atom -> Stream.of(atom);
      case Rule.AnyFailed atom -> Stream.of(atom);
      case Rule.Quorum atom -> Stream.of(atom);
      case Rule.Ended atom -> Stream.of(atom);
      case Rule.OnContext atom -> Stream.of(atom);
    };
  }

  /** Returns the atoms that must all hold for the rule to hold. */
  static Stream<Rule> needed(Rule rule) {
    return rule instanceof Rule.All all
        ? all.rules().stream().flatMap(RuleAtoms::needed)
        : Stream.of(rule);
  }

  /** Returns the steps that the rule names, in the order in which it names them. */
  static Set<String> steps(Rule rule) {
    return of(rule)
        .filter(Rule.Ended.class::isInstance)
        .map(atom -> ((Rule.Ended) atom).step())
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }
}
