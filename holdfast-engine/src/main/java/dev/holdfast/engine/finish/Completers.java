package dev.holdfast.engine.finish;

import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.run.FinishSink;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.StepRef;
import java.util.List;

/**
 * The completers of a node. The first one writes the reports of plain jobs: they share as few
 * commits as possible. Steps of runs are divided among all of them, by run: slots wait until the
 * success of a step is stored together with the next step, and while one group is written, another
 * one can be planned. All steps of a run have the same completer, because two that advance a run at
 * the same time would hinder each other.
 */
public final class Completers implements FinishSink {
  /** How many there are. More make the groups smaller without writing more at the same time. */
  public static final int COUNT = 2;

  private final List<Completer> all;

  /**
   * @param all at least one
   */
  public Completers(List<Completer> all) {
    this.all = List.copyOf(all);
  }

  @Override
  public void finish(HeldJob heldJob, Finish finish) {
    of(heldJob).finish(heldJob, finish);
  }

  @Override
  public void handBack(HeldJob heldJob) {
    of(heldJob).handBack(heldJob);
  }

  private Completer of(HeldJob heldJob) {
    StepRef step = heldJob.job().step();
    return step == null
        ? all.getFirst()
        : all.get(Math.floorMod(step.run().value().hashCode(), all.size()));
  }

  /**
   * Returns whether attempts have ended and one of the completers could write none of their reports
   * for a minute.
   */
  public boolean isStalled() {
    return all.stream().anyMatch(Completer::isStalled);
  }
}
