package dev.holdfast.engine.codec;

import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.task.RetryPolicy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What only the holder of a job needs to know about how it is run.
 *
 * @param retry null for the policy of the task
 * @param timeout null for none
 * @param keepResult null for as long as history is kept
 */
public record JobPolicy(
    @Nullable RetryPolicy retry, @Nullable Duration timeout, @Nullable Duration keepResult) {

  /** Nothing special. */
  public static final JobPolicy NONE = new JobPolicy(null, null, null);

  /** The policy that a job's row must carry: what its options say differently from its task. */
  public static JobPolicy difference(JobOptions options, JobOptions taskDefaults) {
    return new JobPolicy(
        options.retry() != null && !options.retry().equals(taskDefaults.retry())
            ? options.retry()
            : null,
        options.timeout() != null && !options.timeout().equals(taskDefaults.timeout())
            ? options.timeout()
            : null,
        options.keepResult() != null && !options.keepResult().equals(taskDefaults.keepResult())
            ? options.keepResult()
            : null);
  }

  /** This policy, with what it leaves open taken from the task. */
  public JobPolicy orElse(JobOptions taskDefaults) {
    return new JobPolicy(
        retry != null ? retry : taskDefaults.retry(),
        timeout != null ? timeout : taskDefaults.timeout(),
        keepResult != null ? keepResult : taskDefaults.keepResult());
  }

  /** The retry policy in force. */
  public RetryPolicy retryOrDefault() {
    return retry != null ? retry : RetryPolicy.DEFAULT;
  }
}
