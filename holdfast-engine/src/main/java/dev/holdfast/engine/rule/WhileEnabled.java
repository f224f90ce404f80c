package dev.holdfast.engine.rule;

import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;

/** A role that pauses while its node is disabled. */
public final class WhileEnabled implements Role {
  private static final Duration REST = Duration.ofSeconds(5);

  private final Role role;
  private final CurrentModes modes;

  public WhileEnabled(Role role, CurrentModes modes) {
    this.role = role;
    this.modes = modes;
  }

  @Override
  public String name() {
    return role.name();
  }

  @Override
  public void wokenBy(Waker waker) {
    role.wokenBy(waker);
  }

  @Override
  public Moment tick(Moment now) {
    return modes.isEnabled() ? role.tick(now) : now.plus(REST);
  }
}
