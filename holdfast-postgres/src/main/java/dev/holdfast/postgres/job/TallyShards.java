package dev.holdfast.postgres.job;

import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Chooses the rows of the tally that a writer adds to. Each writer has its own rows, so that
 * writers do not wait for each other, and changes to new rows after a while: as long as an old
 * snapshot is open, every update leaves a version of the row behind that the next update has to
 * read (377 buffers after 40,000 updates). {@code PgUpkeep} merges the rows.
 */
public final class TallyShards {
  /** About as many row versions as fit into three pages. */
  static final int MOST_WRITES = 200;

  private final AtomicLong writes = new AtomicLong();

  /**
   * Returns the shard for the next write.
   *
   * @param writer an id that no other writer has
   */
  public UUID next(UUID writer) {
    long rotation = writes.getAndIncrement() / MOST_WRITES;
    // Shifted, because incarnations that are created at the same time have consecutive ids.
    return new UUID(
        writer.getMostSignificantBits(), writer.getLeastSignificantBits() ^ (rotation << 16));
  }
}
