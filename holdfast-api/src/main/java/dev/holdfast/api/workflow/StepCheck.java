package dev.holdfast.api.workflow;

import dev.holdfast.api.internal.Names;
import dev.holdfast.api.internal.Times;
import dev.holdfast.api.internal.TriggerNames;
import dev.holdfast.api.job.When;
import dev.holdfast.api.workflow.Source.Input;
import dev.holdfast.api.workflow.StepDefinition.Work;
import java.time.Duration;
import java.util.Locale;

/** Checks what can be said about a step without looking at other steps. */
final class StepCheck {
  private static final int MOST_ITEMS = 10_000;
  private static final int MOST_LEVELS = 10;

  private final StepDefinition step;
  private final String subject;
  private final Problems problems;

  private StepCheck(StepDefinition step, Problems problems) {
    this.step = step;
    this.subject = "Step '%s'".formatted(step.name());
    this.problems = problems;
  }

  static void check(StepDefinition step, Problems problems) {
    StepCheck check = new StepCheck(step, problems);
    check.checkTexts();
    check.checkWork();
    check.checkOptions();
    check.checkCompensation();
  }

  private void checkTexts() {
    problems.unless(() -> Names.step(step.name()));
    if (Names.RESERVED_FIELDS.contains(step.name())) {
      problems.add(
          "Step name '%s' is reserved for what started the run: choose another one."
              .formatted(step.name()));
    }
    String label = step.label();
    if (label != null) {
      problems.unless(subject, () -> Names.text("Label", label));
    }
  }

  private void checkWork() {
    step.work().input().ifPresent(input -> checkPath(input, subject, problems));
    switch (step.work()) {
      case Work.RunTask task -> {}
      case Work.MapTask map -> checkMap(map);
      case Work.RunWorkflow child -> checkLevels(child.workflow().levels() + 1);
      case Work.Sleep sleep ->
          problems.unless(subject, () -> Times.notNegative("A sleep", sleep.time()));
      case Work.AwaitSignal signal -> checkSignal(signal);
    }
  }

  private void checkMap(Work.MapTask map) {
    checkRange("a concurrency", map.concurrency());
    checkRange("a number of tolerated failures", map.tolerated());
    String field = map.itemLabel();
    if (field != null) {
      problems.unless(subject, () -> TriggerNames.field(field));
    }
  }

  private void checkRange(String what, int number) {
    if (number < 0 || number > MOST_ITEMS) {
      problems.add(
          String.format(
              Locale.ROOT,
              "%s: %s of %d is not valid: give 0 to %,d.",
              subject,
              what,
              number,
              MOST_ITEMS));
    }
  }

  private void checkLevels(int levels) {
    if (levels > MOST_LEVELS) {
      problems.add(
          "%s runs a workflow that makes this one %d levels deep: at most %d are possible, so combine some of the nested workflows."
              .formatted(subject, levels, MOST_LEVELS));
    }
  }

  private void checkSignal(Work.AwaitSignal signal) {
    problems.unless(subject, () -> Names.signal(signal.signal()));
    if (signal.otherwise() != null && step.timeout() == null) {
      problems.add(
          "%s has a default output, which is used when its time limit passes, but no time limit: set one with within."
              .formatted(subject));
    }
  }

  private void checkOptions() {
    Duration timeout = step.timeout();
    if (timeout != null) {
      problems.unless(subject, () -> Times.positive("A time limit", timeout));
    }
    checkDelay(subject, step.options().when());
    if (step.options().unique() != null) {
      problems.add(
          "%s has a unique key, but a run starts each step once: remove the key, or start the run with one."
              .formatted(subject));
    }
  }

  private void checkDelay(String what, When when) {
    if (!when.equals(When.NOW) && !when.equals(new When.After(Duration.ZERO))) {
      problems.add(
          "%s has a delay, which steps cannot have: remove it (runIn(Duration.ZERO) overrides that of a task), and add a sleep step if the run should wait."
              .formatted(what));
    }
  }

  private void checkCompensation() {
    if (step.compensation() == null) {
      return;
    }
    checkDelay(
        "The compensation of step '%s'".formatted(step.name()),
        step.compensation().defaults().when());
    if (step.isFinally()) {
      problems.add(
          "Finally step '%s' has a compensation, but it runs after all compensations: remove the compensation."
              .formatted(step.name()));
    }
    if (step.work() instanceof Work.Sleep || step.work() instanceof Work.AwaitSignal) {
      problems.add(
          "%s has a compensation, but it only waits, so there is nothing to undo: remove the compensation."
              .formatted(subject));
    }
  }

  /** Checks the path of the field that a source reads. */
  static void checkPath(Input input, String subject, Problems problems) {
    String path =
        switch (input) {
          case Input.Context context -> context.path();
          case Input.Output output -> output.path();
          case Input.RunInput whole -> null;
          case Input.Constant constant -> null;
        };
    if (path != null) {
      problems.unless(subject, () -> TriggerNames.field(path));
    }
  }
}
