package dev.holdfast.engine.workflow;

import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.RunAdvance;
import java.util.List;
import java.util.UUID;

/** Lets this node start the jobs that follow a step together with storing its success. */
public interface HandOver {
  /** Starts nothing: the jobs that follow are claimed. */
  HandOver NONE = (incarnation, steps) -> Offer.NONE;

  /** Reserves slots for those of the jobs that follow these steps which may start here. */
  Offer offer(UUID incarnation, List<RunAdvance.Express> steps);

  /** Jobs that may start here. Exactly one of its methods that end it must be called. */
  interface Offer {
    Offer NONE =
        new Offer() {
          @Override
          public RunAdvance.StartHere here() {
            return RunAdvance.StartHere.NOTHING;
          }

          @Override
          public void accept(List<ClaimedJob> started) {}

          @Override
          public void lose() {}
        };

    RunAdvance.StartHere here();

    /** Runs the jobs that the store has started, and releases the slots of the others. */
    void accept(List<ClaimedJob> started);

    /** Releases the slots, because it is not known what the store has started. */
    void lose();
  }
}
