package dev.holdfast.postgres.intake;

import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.postgres.intake.Candidate.FullKey;
import java.util.UUID;

/**
 * A request for a unique key with a window.
 *
 * @param id the job or run that is to have the key
 * @param task the task that the key belongs to
 */
public record KeyRequest(UUID id, String task, UniqueKey key) {
  public FullKey fullKey() {
    return new FullKey(task, key.value());
  }
}
