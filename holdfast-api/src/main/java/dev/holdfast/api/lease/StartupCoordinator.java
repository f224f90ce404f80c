package dev.holdfast.api.lease;

import java.time.Duration;

/**
 * Destructive work at start-up, once for the whole cluster: leases whose keys begin with {@code
 * startup:}.
 *
 * <pre>{@code
 * startup.runOnce("drop-orphaned-uploads", Duration.ofMinutes(30), () -> dropOrphans());
 * }</pre>
 *
 * <p>Of nodes that start together, one gets the action. While it works, and for the ttl after it
 * has completed it, the others are told that it is busy, and so is every node that starts in that
 * time. So the ttl should be longer than it takes to start all nodes of a deployment, and shorter
 * than the time to the next.
 *
 * <table>
 * <caption>What the next node finds</caption>
 * <tr><th>the holder</th><th>the next node that asks</th></tr>
 * <tr><td>works</td><td>Busy, state CLAIMED</td></tr>
 * <tr><td>completed it, less than its ttl ago</td><td>Busy, state DONE</td></tr>
 * <tr><td>completed it longer ago</td><td>gets it</td></tr>
 * <tr><td>failed</td><td>gets it</td></tr>
 * <tr><td>died, at least a ttl ago</td><td>gets it, as attempt 2: the work may be half done</td></tr>
 * <tr><td>completed it, and somebody released it</td><td>gets it</td></tr>
 * </table>
 */
public interface StartupCoordinator {

  /** What to do, and how it can fail. */
  @FunctionalInterface
  interface Work<E extends Exception> {
    void run() throws E;
  }

  /**
   * Take an action on, if nobody works on it and nobody completed it within its ttl. It does not
   * wait. {@linkplain Lease#complete Complete} the lease when the work is done and {@linkplain
   * Lease#fail fail} it otherwise; {@link #runOnce} sees to both.
   *
   * @param action 1 to 248 characters
   * @param ttl how long a completed action counts, and how long a dead holder keeps others out; 100
   *     ms to 365 days
   */
  Acquisition tryAcquire(String action, Duration ttl);

  /**
   * Do the work here, if nobody works on it and nobody completed it within its ttl. If it throws,
   * the action has failed and is free for the next node.
   *
   * <p>If the action is {@linkplain Lease lost} on the way, the thread that works is interrupted,
   * since the next node may begin: let the work end then. Whatever it returns does not count as
   * done. Afterwards the thread is not interrupted any more.
   *
   * @return whether it was done here, and recorded as done; false if it was somebody else's, or was
   *     lost on the way
   * @throws E what the work threw, but for an {@link InterruptedException} because it was lost
   */
  <E extends Exception> boolean runOnce(String action, Duration ttl, Work<E> work) throws E;

  /** Whether an action was completed within its ttl; waiting for this is up to the caller. */
  boolean isDone(String action);

  /**
   * Free an action: let go of it if this coordinator holds it, and let a completion of it count no
   * longer.
   *
   * @return whether there was something to free. An action that another node works on is left alone
   */
  boolean release(String action);

  /** A coordinator on these leases. */
  static StartupCoordinator over(Leases leases) {
    return new LeasedStartup(leases);
  }
}
