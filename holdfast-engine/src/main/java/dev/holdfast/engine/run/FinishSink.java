package dev.holdfast.engine.run;

import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.store.Finish;

/** Receives the outcomes of attempts. */
public interface FinishSink {

  /**
   * Reports how an attempt ended. Blocks while too many reports wait to be written, which slows
   * down claiming.
   */
  void finish(HeldJob heldJob, Finish finish);

  /** Releases a job without using an attempt. */
  void handBack(HeldJob heldJob);
}
