package dev.holdfast.engine.run;

import dev.holdfast.engine.store.Finish;

/** Where attempts report how they ended. */
public interface FinishSink {

  /** Report an end. Blocks while too many reports wait to be written, which slows claiming down. */
  void finish(Holding holding, Finish finish);

  /** Give a job back with nothing spent. */
  void handBack(Holding holding);
}
