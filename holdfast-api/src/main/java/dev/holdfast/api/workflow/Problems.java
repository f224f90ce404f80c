package dev.holdfast.api.workflow;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects what is wrong with a workflow, one sentence each. */
final class Problems {
  private final List<String> found = new ArrayList<>();

  void add(String problem) {
    found.add(problem);
  }

  void addIfAny(@Nullable String problem) {
    if (problem != null) {
      found.add(problem);
    }
  }

  /** Adds the message of the exception that the check throws, if it does. */
  void unless(Runnable check) {
    try {
      check.run();
    } catch (IllegalArgumentException e) {
      found.add(String.valueOf(e.getMessage()));
    }
  }

  /** As {@link #unless(Runnable)}; the message is preceded by what it is about. */
  void unless(String subject, Runnable check) {
    try {
      check.run();
    } catch (IllegalArgumentException e) {
      String message = String.valueOf(e.getMessage());
      found.add(
          "%s: %s%s"
              .formatted(subject, Character.toLowerCase(message.charAt(0)), message.substring(1)));
    }
  }

  List<String> found() {
    return found;
  }
}
