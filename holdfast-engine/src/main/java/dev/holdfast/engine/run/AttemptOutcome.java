package dev.holdfast.engine.run;

import dev.holdfast.engine.store.Finish;
import org.jspecify.annotations.Nullable;

/** How the handler of an attempt ended. */
sealed interface AttemptOutcome {
  record Returned(@Nullable Object value) implements AttemptOutcome {}

  record Threw(String code, Throwable thrown) implements AttemptOutcome {}

  record Waits(Finish.Parked finish) implements AttemptOutcome {}

  record NeverStarted() implements AttemptOutcome {}
}
