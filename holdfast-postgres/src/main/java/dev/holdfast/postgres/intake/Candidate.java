package dev.holdfast.postgres.intake;

import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.engine.store.NewJob;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A job to be admitted and its position in its list. */
public record Candidate(int ordinal, NewJob job) {
  UUID id() {
    return job.id().value();
  }

  /** Returns the ids of the first attempts, which may arrive after their own repeats. */
  static List<UUID> firstAttempts(List<Candidate> jobs) {
    return jobs.stream().filter(each -> !each.job.mayExist()).map(Candidate::id).toList();
  }

  /** Returns the ids of the jobs that were sent before. */
  static List<UUID> repeats(List<Candidate> jobs) {
    return jobs.stream().filter(each -> each.job.isRepeat()).map(Candidate::id).toList();
  }

  @Nullable UniqueKey key() {
    return job.unique();
  }

  /** Returns the request for its key; empty if it has none with a window. */
  Optional<KeyRequest> keyRequest() {
    UniqueKey key = job.unique();
    return key == null || key.window() == null
        ? Optional.empty()
        : Optional.of(new KeyRequest(id(), job.content().task(), key));
  }

  boolean isWindowed() {
    return keyRequest().isPresent();
  }

  /** Returns the key and its task. The same text can be a key with and a key without a window. */
  public FullKey fullKey() {
    return new FullKey(job.content().task(), job.unique() == null ? "" : job.unique().value());
  }

  /** A unique key with the task it belongs to. */
  public record FullKey(String task, String value) {}
}
