package dev.holdfast.postgres.intake;

import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.engine.store.NewJob;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A job that wants to be admitted, and its place in the list it came in. */
public record Candidate(int ordinal, NewJob job) {
  UUID id() {
    return job.id().value();
  }

  /** The ids of those whose repeats may have overtaken them. */
  static List<UUID> firstAttempts(List<Candidate> jobs) {
    return jobs.stream().filter(each -> !each.job.mayExist()).map(Candidate::id).toList();
  }

  /** The ids of those that were sent before. */
  static List<UUID> repeats(List<Candidate> jobs) {
    return jobs.stream().filter(each -> each.job.isRepeat()).map(Candidate::id).toList();
  }

  @Nullable UniqueKey key() {
    return job.unique();
  }

  boolean isWindowed() {
    return job.unique() != null && job.unique().window() != null;
  }

  /** The key and its task; the same text may be used as a key of either kind. */
  public FullKey fullKey() {
    return new FullKey(job.task(), job.unique() == null ? "" : job.unique().value());
  }

  /** A unique key with the task it belongs to. */
  public record FullKey(String task, String value) {}
}
