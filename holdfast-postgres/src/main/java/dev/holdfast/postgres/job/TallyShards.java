package dev.holdfast.postgres.job;

import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Chooses the rows of the tally that a writer adds to. A row stays locked until its transaction has
 * committed, so concurrent writers that share one wait for each other's commits: {@link #take}
 * gives each a row of its own. Every row is used for a limited number of writes: as long as an old
 * snapshot is open, every update leaves a version of the row behind that the next update has to
 * read (377 buffers after 40,000 updates). {@code PgUpkeep} merges the rows.
 */
public final class TallyShards {
  /** About as many row versions as fit into three pages. */
  static final int MOST_WRITES = 200;

  private final UUID base = UUID.randomUUID();
  private final AtomicLong writes = new AtomicLong();
  private final ConcurrentLinkedDeque<Shard> free = new ConcurrentLinkedDeque<>();

  /** A shard that no other writer uses until it is closed. */
  public final class Shard implements AutoCloseable {
    private UUID id = UUID.randomUUID();
    private int uses;

    private Shard() {}

    public UUID id() {
      return id;
    }

    /** Leaves the shard to other writers. Call this after the transaction has ended. */
    @Override
    public void close() {
      if (++uses == MOST_WRITES) {
        id = UUID.randomUUID();
        uses = 0;
      }
      free.addFirst(this);
    }
  }

  /** Returns a shard for all statements of a transaction, for writers that are often concurrent. */
  public Shard take() {
    Shard shard = free.pollFirst();
    return shard == null ? new Shard() : shard;
  }

  /** Returns the shard for the next write, for writers that are rarely concurrent. */
  public UUID next() {
    long rotation = writes.getAndIncrement() / MOST_WRITES;
    return new UUID(base.getMostSignificantBits(), base.getLeastSignificantBits() ^ rotation);
  }
}
