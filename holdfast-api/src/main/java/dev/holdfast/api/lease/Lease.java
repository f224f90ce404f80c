package dev.holdfast.api.lease;

import java.time.Duration;

/**
 * A lease that this process holds: exclusive use of a key in the whole cluster, for a limited time.
 *
 * <p>A lease is renewed automatically, after each third of its TTL, until it is completed, failed,
 * closed or lost. It is lost if a renewal finds that another holder has it, or if no renewal has
 * succeeded for the TTL minus a tenth (at most 10 s), counted from before the last successful
 * renewal was sent. Another process cannot acquire it before that, so a holder that stops when it
 * is notified never overlaps with the next one. The holder detects the loss without the database.
 *
 * <p>A process that was paused detects the loss late. Protect writes that must never happen twice
 * with the {@link #fencingToken}. A lease is safe for use by multiple threads.
 */
public interface Lease extends AutoCloseable {

  /** Returns the key of the lease. */
  String key();

  /**
   * Returns the fencing token: a number greater than that of every lease acquired before, of any
   * key. Pass it to the systems that the lease protects and let them refuse smaller numbers.
   */
  long fencingToken();

  /**
   * Returns the number of this attempt: 1, plus 1 for each holder that lost the lease since it was
   * last completed or failed. From 2 on, the work of the previous holder may be half done.
   */
  int attempt();

  /**
   * Returns whether the lease is still held. It does not access the database, so call it before
   * each irreversible step. It returns false from the moment the lease is lost, or {@link
   * #complete}, {@link #fail} or {@link #close} is called, and never true after that.
   */
  boolean isHeld();

  /**
   * Renews the lease now, for its whole TTL. This is not necessary, but it verifies with the
   * database that the lease is held.
   *
   * @return whether it was still held; if not, it is lost
   * @throws dev.holdfast.api.StoreException if the database cannot be reached; the lease is held
   *     until its time is over
   */
  boolean renew();

  /**
   * Renews the lease now, with a new TTL: it has exactly this time from now on, and automatic
   * renewals use it as well. Use a longer TTL before a phase in which the holder or the database
   * may pause, and a shorter one to let others take over sooner if this process dies. For a lease
   * acquired with {@link Leases#acquireOnce}, it is also how long the lease stays busy after it is
   * completed.
   *
   * @param ttl the new TTL, 100 ms to 365 days
   * @return whether it was still held; if not, it is lost, and nothing was changed
   * @throws IllegalArgumentException if the TTL is not valid
   * @throws dev.holdfast.api.StoreException if the database cannot be reached; automatic renewals
   *     use the new TTL. Until one of them succeeds, the lease is held for the shorter of its
   *     remaining time and the new TTL. If the request may have been executed, the holder can rely
   *     on no more than this TTL until it releases the lease, even if later renewals use a longer
   *     one
   */
  boolean renew(Duration ttl);

  /**
   * Completes the lease: records that the work is done, and releases the lease.
   *
   * @return whether the lease was still held. If not, nothing was changed: another process has
   *     acquired it, or it was ended before. A lease whose time is over can still be completed as
   *     long as no other process has acquired it
   * @throws dev.holdfast.api.StoreException if the database cannot be reached: the lease may have
   *     been released. It is renewed as before, so that it can be completed again, but {@link
   *     #isHeld} returns false
   */
  boolean complete();

  /**
   * Fails the lease: records that the work failed, and releases the lease. Another process can
   * acquire it immediately.
   *
   * @param detail why it failed; characters that cannot be stored are removed
   * @return whether the lease was still held, as with {@link #complete}
   */
  boolean fail(String detail);

  /**
   * Registers a callback that is called once when the lease is lost; immediately if it is lost
   * already. It is not called if the lease is completed, failed or closed before. Each callback
   * runs in its own thread and may block.
   */
  void onLost(Runnable callback);

  /**
   * Completes the lease, unless it was completed, failed or lost before. If {@link #complete} or
   * {@link #fail} was called and threw, the same is tried once more. A {@code try} block closes the
   * lease after an exception, too: to record a failure, call {@link #fail} inside the block.
   *
   * <p>If the database cannot be reached, the failure is logged and the lease is released in this
   * process only: other processes can acquire it when its TTL is over.
   */
  @Override
  void close();
}
