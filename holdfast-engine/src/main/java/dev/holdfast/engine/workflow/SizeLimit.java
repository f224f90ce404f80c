package dev.holdfast.engine.workflow;

import dev.holdfast.engine.codec.Utf8Length;
import dev.holdfast.engine.store.RunData;
import org.jspecify.annotations.Nullable;

/** Limits the size of all outputs of a run: the step that exceeds it fails. */
final class SizeLimit {
  /** How many bytes the outputs of a run may have. */
  static final long MOST_BYTES = 64L << 20;

  private final Draft draft;

  SizeLimit(Draft draft) {
    this.draft = draft;
  }

  /**
   * Returns whether a step must not succeed, because the outputs that are stored are too large.
   * Cleanup is exempt: it would otherwise be impossible after the limit was exceeded.
   */
  boolean isExceeded(int step) {
    return isExceeded(step, draft.bytes());
  }

  private boolean isExceeded(int step, long bytes) {
    return bytes > MOST_BYTES && draft.node(step).part() == Graph.Part.MAIN;
  }

  /** Fails a step that exceeds the limit. */
  void fail(int step) {
    fail(step, draft.bytes());
  }

  private void fail(int step, long bytes) {
    draft.failed(
        step,
        new RunData.Failure(
            RunData.Failure.RUN_TOO_LARGE,
            "The outputs of run %s have %d bytes with that of step '%s', but at most %d are allowed: return references instead."
                .formatted(draft.facts().id(), bytes, draft.node(step).name(), MOST_BYTES)));
  }

  /** Ends a step with an output that is not stored yet, unless that exceeds the limit. */
  void succeed(int step, @Nullable String output) {
    long bytes = draft.bytes() + (output == null ? 0 : Utf8Length.bytes(output));
    if (isExceeded(step, bytes)) {
      fail(step, bytes);
    } else {
      draft.succeeded(step, output);
    }
  }
}
