package dev.holdfast.engine.workflow;

import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.RunAdvance;
import dev.holdfast.engine.store.StartHere;
import java.util.List;
import java.util.UUID;

/** Lets this node start the jobs of steps in the statement that creates them, without a claim. */
public interface HandOver {
  /** Starts nothing: the jobs are claimed. */
  HandOver NONE =
      new HandOver() {
        @Override
        public Offer offer(UUID incarnation, List<RunAdvance.Express> steps) {
          return Offer.NONE;
        }

        @Override
        public Offer offer(List<NewJob> jobs) {
          return Offer.NONE;
        }
      };

  /** Reserves slots for those of the jobs that follow these steps which may start here. */
  Offer offer(UUID incarnation, List<RunAdvance.Express> steps);

  /** Reserves slots for those of the first jobs of a run which may start here. */
  Offer offer(List<NewJob> jobs);

  /** Jobs that may start here. Exactly one of its methods that end it must be called. */
  interface Offer {
    Offer NONE =
        new Offer() {
          @Override
          public StartHere here() {
            return StartHere.NOTHING;
          }

          @Override
          public void accept(List<ClaimedJob> started) {}

          @Override
          public void lose() {}
        };

    StartHere here();

    /** Runs the jobs that the store has started, and releases the slots of the others. */
    void accept(List<ClaimedJob> started);

    /** Releases the slots, because it is not known what the store has started. */
    void lose();
  }
}
