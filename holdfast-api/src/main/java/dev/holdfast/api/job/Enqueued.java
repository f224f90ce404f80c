package dev.holdfast.api.job;

/**
 * The answer to an enqueue.
 *
 * @param id the job that now stands for the request
 * @param outcome how that came about
 * @param resultType what the job's task returns
 */
public record Enqueued<R>(JobId id, Outcome outcome, Class<R> resultType) {

  /** How a request was received. */
  public enum Outcome {
    /** It became a new job. */
    CREATED,
    /** Its unique key or its id was known already; nothing was changed. */
    EXISTING,
    /** Its unique key was taken by a job that now carries its payload and options. */
    REPLACED
  }

  /** Whether this enqueue made the job. */
  public boolean created() {
    return outcome == Outcome.CREATED;
  }
}
