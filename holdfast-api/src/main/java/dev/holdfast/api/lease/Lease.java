package dev.holdfast.api.lease;

/**
 * Something this process holds alone, for now.
 *
 * <p>It is renewed by itself, at a third of its ttl, until it is completed, failed, closed or lost.
 * It is lost when a renewal learns that others have it, or when no renewal has succeeded for the
 * ttl less a tenth (at most 10 s), counted from before the last one that did was sent: others
 * cannot have it before that, so a holder that stops when it is told never overlaps with the next.
 * No database is needed to find out.
 *
 * <p>A process that was frozen learns of it late. What must not happen twice in any case is fenced
 * by {@link #fencingToken}. It is safe for use by many threads.
 */
public interface Lease extends AutoCloseable {

  /** What is held. */
  String key();

  /** Larger than the token of every lease that was acquired before, of whatever key. */
  long fencingToken();

  /** 1, and 1 more for each holder that was lost since it was last done or failed. */
  int attempt();

  /** Whether it may still be relied on. Asks no database; ask before each irreversible step. */
  boolean isHeld();

  /**
   * Renew it now, for its whole ttl. There is no need to, but it asks the database.
   *
   * @return whether it was still ours; if not, it is lost
   * @throws dev.holdfast.api.StoreException if the database cannot be asked; the lease goes on
   *     until its time is over
   */
  boolean renew();

  /**
   * Say that the work is done and let go.
   *
   * @return whether it was still ours. If not, nothing was changed: somebody else took over, or it
   *     was ended before. A lease whose time is over and that nobody took is still ours to complete
   * @throws dev.holdfast.api.StoreException if the database cannot be asked; the lease is held, and
   *     can be completed again
   */
  boolean complete();

  /**
   * Say that the work failed and let go; others may try at once.
   *
   * @param detail why, for people; what cannot be stored of it is left out
   * @return whether it was still ours, as with {@link #complete}
   */
  boolean fail(String detail);

  /**
   * Be told once when it is lost; at once if it is lost already. Not told if it is completed,
   * failed or closed before. Each callback has a thread of its own and may take its time.
   */
  void onLost(Runnable callback);

  /**
   * Complete it, unless it was completed, failed or lost before. If {@link #complete} or {@link
   * #fail} was called and threw, the same is tried once more. Mind that a {@code try} block closes
   * after an exception, too: call {@link #fail} inside it if that matters.
   *
   * <p>If the database cannot be asked, that is logged, and the lease is let go: it is free for
   * others when its ttl is over.
   */
  @Override
  void close();
}
