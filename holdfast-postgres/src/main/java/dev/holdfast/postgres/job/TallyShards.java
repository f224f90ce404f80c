package dev.holdfast.postgres.job;

import dev.holdfast.postgres.upkeep.PgUpkeep;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Says which rows of the tally a writer adds to. Each writer has its own, so that none waits for
 * another, and gets new ones after a while: as long as an old snapshot is open, every update leaves
 * a version of the row behind through which the next one has to go (377 buffers after 40,000
 * updates). {@link PgUpkeep} merges the rows.
 */
public final class TallyShards {
  /** About as many versions as three pages have room for. */
  static final int MOST_WRITES = 200;

  private final AtomicLong writes = new AtomicLong();

  /**
   * The shard of the next write.
   *
   * @param writer an id that no other writer has
   */
  public UUID next(UUID writer) {
    long rotation = writes.getAndIncrement() / MOST_WRITES;
    // Shifted, since incarnations that are created at the same time have consecutive ids.
    return new UUID(
        writer.getMostSignificantBits(), writer.getLeastSignificantBits() ^ (rotation << 16));
  }
}
