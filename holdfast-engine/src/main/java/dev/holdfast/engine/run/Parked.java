package dev.holdfast.engine.run;

import dev.holdfast.engine.store.Finish;

/**
 * Unwinds a handler that waits. It is an error, so that handlers that catch exceptions do not catch
 * it; one that does all the same is parked when it returns.
 */
public final class Parked extends Error {
  private static final long serialVersionUID = 1L;

  private final transient Finish.Parked finish;

  Parked(Finish.Parked finish) {
    super(
        "Job %s waits, and its handler is called again later: do not catch this."
            .formatted(finish.claim().id()),
        null,
        false,
        false);
    this.finish = finish;
  }

  Finish.Parked finish() {
    return finish;
  }
}
