package dev.holdfast.server.worker;

import dev.holdfast.engine.store.ClaimId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A heartbeat of a worker.
 *
 * @param jobs what the worker holds, until the outcome of each is recorded; null if it does not say
 * @param answered all claim calls up to this one have been answered, so that jobs of these calls
 *     which the worker does not name are unknown to it; null if it does not say
 * @param from the oldest claim call of which it holds jobs
 */
public record WorkerBeat(@Nullable List<Held> jobs, @Nullable Long answered, long from) {

  /**
   * A job that the worker holds.
   *
   * @param progress what it has to report; null for nothing
   */
  public record Held(ClaimId claim, @Nullable Progress progress) {}

  /** How far a job is. */
  public record Progress(long done, long total, String message) {}
}
