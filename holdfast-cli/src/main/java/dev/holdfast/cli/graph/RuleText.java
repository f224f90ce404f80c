package dev.holdfast.cli.graph;

import dev.holdfast.api.workflow.Rule;
import dev.holdfast.cli.print.ConditionText;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Describes rules in words. */
final class RuleText {

  private RuleText() {}

  static String of(Rule rule) {
    return switch (rule) {
      case Rule.AllSucceeded all -> "all succeeded";
      case Rule.AnySucceeded any -> "any succeeded";
      case Rule.AllDone done -> "all ended";
      case Rule.NoneFailed none -> "none failed";
      case Rule.AnyFailed any -> "any failed";
      case Rule.Quorum(var count) -> "at least %d succeeded".formatted(count);
      case Rule.Ended(var step, var outcome) ->
          "%s %s"
              .formatted(
                  step,
                  switch (outcome) {
                    case SUCCEEDED, FAILED -> outcome.name().toLowerCase(Locale.ROOT);
                    case SKIPPED -> "was skipped";
                  });
      case Rule.OnContext(var condition) -> ConditionText.of(condition);
      case Rule.All(var rules) -> joined(rules, " and ");
      case Rule.Any(var rules) -> joined(rules, " or ");
      case Rule.None(var rules) -> "not (%s)".formatted(joined(rules, " or "));
    };
  }

  private static String joined(List<Rule> rules, String word) {
    return rules.stream()
        .map(rule -> isCombined(rule) ? "(%s)".formatted(of(rule)) : of(rule))
        .collect(Collectors.joining(word));
  }

  private static boolean isCombined(Rule rule) {
    return (rule instanceof Rule.All(var rules) && rules.size() > 1)
        || (rule instanceof Rule.Any(var others) && others.size() > 1);
  }
}
