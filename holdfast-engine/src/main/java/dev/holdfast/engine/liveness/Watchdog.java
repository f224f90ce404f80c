package dev.holdfast.engine.liveness;

import dev.holdfast.engine.held.CurrentIncarnation;
import dev.holdfast.engine.held.Tenure;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;

/**
 * Fences the node when its deadline has passed. It has a separate thread, because the Heart may be
 * waiting for a reply at that moment.
 */
public final class Watchdog implements Role {
  private final CurrentIncarnation identity;
  private final Fence fence;
  private final Duration glance;
  private final Waker heart;

  /**
   * @param glance how often it checks whether the machine was asleep
   * @param heart woken for a heartbeat
   */
  public Watchdog(CurrentIncarnation identity, Fence fence, Duration glance, Waker heart) {
    this.identity = identity;
    this.fence = fence;
    this.glance = glance;
    this.heart = heart;
  }

  @Override
  public String name() {
    return "watchdog";
  }

  @Override
  public Moment tick(Moment now) {
    Tenure tenure = identity.tenure();
    if (tenure.isOver()) {
      fence.shut(tenure, "it could not prove in time that it is alive");
      heart.wake();
    } else if (tenure.isInDoubt()) {
      heart.wake();
    }
    Moment look = now.plus(glance);
    return tenure.isOver() ? look : look.earlier(tenure.deadline());
  }
}
