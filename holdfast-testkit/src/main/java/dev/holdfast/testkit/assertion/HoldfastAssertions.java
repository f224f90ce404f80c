package dev.holdfast.testkit.assertion;

import dev.holdfast.api.Holdfast;

/**
 * The entry point to assertions about jobs.
 *
 * <pre>{@code
 * assertThat(holdfast)
 *     .enqueued(WELCOME)
 *     .with(welcome -> welcome.email().equals("ada@example.org"))
 *     .inQueue("mail")
 *     .times(1);
 * }</pre>
 */
public final class HoldfastAssertions {
  private HoldfastAssertions() {}

  /**
   * Returns assertions about the jobs in the store of this client, whatever their state. Payloads
   * are decoded from JSON, unless {@link JobsAssert#codec another codec} is set.
   */
  public static JobsAssert assertThat(Holdfast holdfast) {
    return new JobsAssert(holdfast);
  }
}
