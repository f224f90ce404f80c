package dev.holdfast.testkit.memory;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.UniqueKey;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The unique keys that are taken, and the jobs that have them.
 *
 * <p>A business key belongs to a live job and is released when the job ends. An idempotency key is
 * recorded until its window ends, whether or not its job has ended. The two kinds are independent:
 * the same text can be used for both.
 */
final class Keys {

  /** A key and its task. */
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

  /** Returns the job that has a key now. */
  @Nullable JobId holder(Key key, Instant now) {
    Entry entry = entries.get(key);
    return entry == null || entry.isOver(now) ? null : entry.holder();
  }

  /** Records the key of a new job. */
  void take(JobRow row, Instant now) {
    if (row.unique != null) {
      Duration window = row.unique.window();
      entries.put(
          Key.of(row.task, row.unique),
          new Entry(row.id, window == null ? null : now.plus(window)));
    }
  }

  /** Replaces the idempotency key of a job, until a time. */
  void move(JobRow row, UniqueKey to, Instant until) {
    if (row.unique != null) {
      entries.remove(Key.of(row.task, row.unique));
    }
    row.unique = to;
    entries.put(Key.of(row.task, to), new Entry(row.id, until));
  }

  /** Records a key if it is free, and returns whether it was. */
  boolean take(Key key, JobId holder, Instant until, Instant now) {
    if (holder(key, now) != null) {
      return false;
    }
    entries.put(key, new Entry(holder, until));
    return true;
  }

  /** Releases the business key of a job that ended. */
  void free(JobRow row) {
    Key key = businessKey(row);
    if (key != null) {
      entries.remove(key);
    }
  }

  /** Returns whether the business key of an ended job is free, so that the job can be revived. */
  boolean isFreeFor(JobRow row) {
    Key key = businessKey(row);
    return key == null || !entries.containsKey(key);
  }

  /** Records the business key of a revived job again. */
  void retake(JobRow row) {
    Key key = businessKey(row);
    if (key != null) {
      entries.put(key, new Entry(row.id, null));
    }
  }

  /** Deletes the keys whose windows have ended. */
  void forgetOver(Instant now) {
    entries.values().removeIf(entry -> entry.isOver(now));
  }

  private static @Nullable Key businessKey(JobRow row) {
    return row.unique == null || row.unique.window() != null ? null : Key.of(row.task, row.unique);
  }
}
