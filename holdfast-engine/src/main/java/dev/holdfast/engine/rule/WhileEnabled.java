package dev.holdfast.engine.rule;

import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;

/** A role that pauses while its node is disabled. */
public final class WhileEnabled<R extends Role> implements Role {
  private static final Duration REST = Duration.ofSeconds(5);

  private final R role;
  private final CurrentModes modes;

  public WhileEnabled(R role, CurrentModes modes) {
    this.role = role;
    this.modes = modes;
  }

  @Override
  public String name() {
    return role.name();
  }

  /** Returns the role that pauses. */
  public R role() {
    return role;
  }

  @Override
  public boolean sharesThread() {
    return role.sharesThread();
  }

  @Override
  public Moment tick(Moment now) {
    return modes.isEnabled() ? role.tick(now) : now.plus(REST);
  }
}
