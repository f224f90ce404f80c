package dev.holdfast.api.lease;

import java.time.Duration;

/**
 * Coordinates destructive actions at start-up, so that one node of the cluster performs them once.
 * An action is a lease whose key starts with {@code startup:}.
 *
 * <pre>{@code
 * startup.runOnce("drop-orphaned-uploads", Duration.ofMinutes(30), () -> dropOrphans());
 * }</pre>
 *
 * <p>If several nodes start at the same time, one of them acquires the action. While it works, and
 * for the TTL after it has completed the action, the action is busy for all other nodes. So the TTL
 * should be longer than it takes to start all nodes of a deployment, and shorter than the time
 * until the next deployment.
 *
 * <table>
 * <caption>What the next node gets</caption>
 * <tr><th>the holder</th><th>the next node</th></tr>
 * <tr><td>is working</td><td>Busy, state CLAIMED</td></tr>
 * <tr><td>completed the action less than its TTL ago</td><td>Busy, state DONE</td></tr>
 * <tr><td>completed the action longer ago</td><td>acquires it</td></tr>
 * <tr><td>failed</td><td>acquires it</td></tr>
 * <tr><td>died at least a TTL ago</td><td>acquires it as attempt 2: the work may be half done</td></tr>
 * <tr><td>completed the action, which was then released</td><td>acquires it</td></tr>
 * </table>
 */
public interface StartupCoordinator {

  /**
   * The work of an action.
   *
   * @param <E> the exception that it can throw
   */
  @FunctionalInterface
  interface Work<E extends Exception> {
    /** Performs the work. */
    void run() throws E;
  }

  /**
   * Acquires an action, unless another holder works on it or completed it less than its TTL ago. It
   * does not wait. {@linkplain Lease#complete Complete} the lease when the work is done, and
   * {@linkplain Lease#fail fail} it otherwise; {@link #runOnce} does both.
   *
   * @param action the name of the action, 1 to 248 characters
   * @param ttl how long a completed action stays busy, and how long a holder that died keeps it;
   *     100 ms to 365 days
   */
  Acquisition tryAcquire(String action, Duration ttl);

  /**
   * Performs the work in the calling thread, unless another holder works on the action or completed
   * it less than its TTL ago. If the work throws, the action fails and the next node can acquire
   * it.
   *
   * <p>If the lease of the action is {@linkplain Lease lost} in the meantime, the calling thread is
   * interrupted, because the next node may start: end the work then. The action does not count as
   * done, even if the work returns normally. The interrupt is cleared before this method returns.
   *
   * @param action the name of the action, 1 to 248 characters
   * @param ttl how long a completed action stays busy, and how long a holder that died keeps it;
   *     100 ms to 365 days
   * @return whether the work was done here and recorded as done; false if the action was busy, or
   *     was lost in the meantime
   * @throws E the exception of the work, except for an {@link InterruptedException} after the
   *     action was lost
   */
  <E extends Exception> boolean runOnce(String action, Duration ttl, Work<E> work) throws E;

  /** Returns whether an action was completed less than its TTL ago. It does not wait. */
  boolean isDone(String action);

  /**
   * Releases an action: fails it if this coordinator holds it, and reopens it if it was completed.
   * An action that another node works on is not changed.
   *
   * @return whether the action was held here or completed
   */
  boolean release(String action);

  /** Returns a coordinator whose actions are stored as these leases. */
  static StartupCoordinator over(Leases leases) {
    return new LeasedStartup(leases);
  }
}
