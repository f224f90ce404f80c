package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.api.run.DurableSteps;
import dev.holdfast.api.run.JournalMismatchException;
import org.junit.jupiter.api.Test;

/** Handlers whose code does not match the journals of their jobs. */
public abstract class JournalMismatchContract extends DurableStepsBase {
  @Test
  void aStepOfAnotherKindIsAMismatchThatIsNotRetried() {
    start(
        handling((note, context) -> {
          if (context.attempt() == 1) {
            step(context.steps(), "a");
            throw new IllegalStateException("again");
          }
          context.steps().sleep("a", HOUR);
          return "never";
        }));
    JobId id = enqueue("x");

    FailedAttempt failure = failureOf(id);
    assertThat(failure.code()).isEqualTo(FailureCode.JOURNAL_MISMATCH);
    assertThat(failure.attempt()).isEqualTo(2);
    assertThat(failure.message()).contains(id.toString(), "'a'", "RUN", "SLEEP", "patched");
  }

  @Test
  void anEntryThatCannotBeDecodedIsAMismatch() {
    start(
        handling((note, context) -> {
          if (context.attempt() == 1) {
            step(context.steps(), "a");
            throw new IllegalStateException("again");
          }
          return "never " + context.steps().run("a", Integer.class, () -> 1);
        }));

    FailedAttempt failure = failureOf(enqueue("x"));
    assertThat(failure.code()).isEqualTo(FailureCode.JOURNAL_MISMATCH);
    assertThat(failure.message()).contains("'a'", "Integer");
  }

  @Test
  void anEntryThatTheHandlerLeavesUnreadIsAMismatch() {
    start(
        handling((note, context) -> {
          step(context.steps(), "a");
          if (context.attempt() == 1) {
            step(context.steps(), "b");
            throw new IllegalStateException("again");
          }
          return "without b";
        }));

    FailedAttempt failure = failureOf(enqueue("x"));
    assertThat(failure.code()).isEqualTo(FailureCode.JOURNAL_MISMATCH);
    assertThat(failure.message()).contains("'b'");
  }

  @Test
  void aHandlerThatNoLongerUsesStepsIsAMismatch() {
    start(
        handling((note, context) -> {
          if (context.attempt() == 1) {
            step(context.steps(), "a");
            step(context.steps(), "b");
            throw new IllegalStateException("again");
          }
          return "without steps";
        }));
    JobId id = enqueue("x");

    FailedAttempt failure = failureOf(id);
    assertThat(failure.code()).isEqualTo(FailureCode.JOURNAL_MISMATCH);
    assertThat(failure.attempt()).isEqualTo(2);
    assertThat(failure.message()).contains(id.toString(), ECHO.name(), "step 'a', occurrence 1");
  }

  @Test
  void aRetriedJobWithoutAJournalSucceedsWithoutSteps() throws Exception {
    start(
        handling((note, context) -> {
          if (context.attempt() == 1) {
            throw new IllegalStateException("again");
          }
          return "done";
        }));

    assertThat(resultOf(enqueue("x"))).isEqualTo("done");
  }

  @Test
  void aMismatchThatTheHandlerCatchesFailsTheJobAllTheSame() {
    start(
        handling((note, context) -> {
          if (context.attempt() == 1) {
            step(context.steps(), "a");
            throw new IllegalStateException("again");
          }
          try {
            context.steps().sleep("a", HOUR);
          } catch (JournalMismatchException caught) {
            return "caught";
          }
          return "never";
        }));

    assertThat(failureOf(enqueue("x")).code()).isEqualTo(FailureCode.JOURNAL_MISMATCH);
  }

  @Test
  void patchedIsFalseForAJobThatPassedThePlaceWithTheOldCodeAndTrueForOthers() throws Exception {
    start(
        handling((note, context) -> {
          DurableSteps steps = context.steps();
          boolean oldCode = note.text().equals("old") && context.attempt() == 1;
          if (!oldCode && steps.patched("with-fraud-check")) {
            step(steps, "fraud");
          }
          step(steps, "charge");
          if (context.attempt() == 1) {
            throw new IllegalStateException("again");
          }
          return steps.patched("with-fraud-check") ? "new code" : "old code";
        }));

    assertThat(resultOf(enqueue("old"))).isEqualTo("old code");
    assertThat(ran).containsExactly("charge");
    assertThat(resultOf(enqueue("new"))).isEqualTo("new code");
    assertThat(ran).containsExactly("charge", "fraud", "charge");
  }

  @Test
  void aPatchThatIsNoLongerAskedForIsNoMismatch() throws Exception {
    start(
        handling((note, context) -> {
          if (context.attempt() == 1) {
            context.steps().patched("old-patch");
            throw new IllegalStateException("again");
          }
          return step(context.steps(), "a");
        }));

    assertThat(resultOf(enqueue("x"))).isEqualTo("result of a");
  }
}
