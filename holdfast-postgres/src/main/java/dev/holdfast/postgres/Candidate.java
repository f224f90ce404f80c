package dev.holdfast.postgres;

import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.engine.store.NewJob;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A job that wants to be admitted, and its place in the list it came in. */
record Candidate(int ordinal, NewJob job) {
  UUID id() {
    return job.id().value();
  }

  @Nullable UniqueKey key() {
    return job.unique();
  }

  boolean isWindowed() {
    return job.unique() != null && job.unique().window() != null;
  }

  /** The key and its task; the same text may be used as a key of either kind. */
  FullKey fullKey() {
    return new FullKey(job.task(), job.unique() == null ? "" : job.unique().value());
  }

  /** A unique key with the task it belongs to. */
  record FullKey(String task, String value) {}
}
