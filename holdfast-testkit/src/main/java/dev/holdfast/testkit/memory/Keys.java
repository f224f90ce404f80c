package dev.holdfast.testkit.memory;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.UniqueKey;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which unique keys are taken, and by whom.
 *
 * <p>Business keys are held by live jobs and let go when those end. Idempotency keys stand in a
 * ledger until their window closes, whatever becomes of their jobs. The two never meet: the same
 * text may be used as one and as the other.
 */
final class Keys {

  /** A key within its task. */
  record Key(String task, String value, boolean windowed) {
    static Key of(String task, UniqueKey key) {
      return new Key(task, key.value(), key.window() != null);
    }
  }

  private record Entry(JobId holder, @Nullable Instant until) {
    boolean isOver(Instant now) {
      return until != null && !until.isAfter(now);
    }
  }

  private final Map<Key, Entry> entries = new HashMap<>();

  /** The job that holds a key now. */
  @Nullable JobId holder(Key key, Instant now) {
    Entry entry = entries.get(key);
    return entry == null || entry.isOver(now) ? null : entry.holder();
  }

  /** Give a new job its key. */
  void take(JobRow row, Instant now) {
    if (row.unique != null) {
      Duration window = row.unique.window();
      entries.put(
          Key.of(row.task, row.unique),
          new Entry(row.id, window == null ? null : now.plus(window)));
    }
  }

  /** Let a job hold another idempotency key than before, until a time. */
  void move(JobRow row, UniqueKey to, Instant until) {
    if (row.unique != null) {
      entries.remove(Key.of(row.task, row.unique));
    }
    row.unique = to;
    entries.put(Key.of(row.task, to), new Entry(row.id, until));
  }

  /** Enter a key into the ledger if it is free, and say whether it was. */
  boolean take(Key key, JobId holder, Instant until, Instant now) {
    if (holder(key, now) != null) {
      return false;
    }
    entries.put(key, new Entry(holder, until));
    return true;
  }

  /** Let go of the business key of a job that ended. */
  void free(JobRow row) {
    Key key = businessKey(row);
    if (key != null) {
      entries.remove(key);
    }
  }

  /** Whether a job that ended could be active again as far as its business key is concerned. */
  boolean isFreeFor(JobRow row) {
    Key key = businessKey(row);
    return key == null || !entries.containsKey(key);
  }

  /** Give a job that is active again its business key back. */
  void retake(JobRow row) {
    Key key = businessKey(row);
    if (key != null) {
      entries.put(key, new Entry(row.id, null));
    }
  }

  /** Forget the keys whose windows have closed. */
  void forgetOver(Instant now) {
    entries.values().removeIf(entry -> entry.isOver(now));
  }

  private static @Nullable Key businessKey(JobRow row) {
    return row.unique == null || row.unique.window() != null ? null : Key.of(row.task, row.unique);
  }
}
