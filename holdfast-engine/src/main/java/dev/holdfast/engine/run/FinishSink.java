package dev.holdfast.engine.run;

import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.store.Finish;

/** Where attempts report how they ended. */
public interface FinishSink {

  /** Report an end. Blocks while too many reports wait to be written, which slows claiming down. */
  void finish(HeldJob heldJob, Finish finish);

  /** Give a job back with nothing spent. */
  void handBack(HeldJob heldJob);
}
