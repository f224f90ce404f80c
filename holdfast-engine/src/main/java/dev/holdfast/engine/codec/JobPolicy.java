package dev.holdfast.engine.codec;

import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.policy.CrashPolicy;
import dev.holdfast.api.policy.RetryPolicy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What only those need to know about a job who run or recover it.
 *
 * @param retry null for the policy of the task
 * @param timeout null for none
 * @param heartbeatTimeout null for none
 * @param keepResult null for as long as history is kept
 * @param crash null for the default. Unlike the others it is stored even where the task says the
 *     same, since the node that recovers a job may not know its task.
 */
public record JobPolicy(
    @Nullable RetryPolicy retry,
    @Nullable Duration timeout,
    @Nullable Duration heartbeatTimeout,
    @Nullable Duration keepResult,
    @Nullable CrashPolicy crash) {

  /** Nothing special. */
  public static final JobPolicy NONE = new JobPolicy(null, null, null, null, null);

  /** The policy that a job's row must carry: what its options say differently from its task. */
  public static JobPolicy difference(JobOptions options, JobOptions taskDefaults) {
    return new JobPolicy(
        difference(options.retry(), taskDefaults.retry()),
        difference(options.timeout(), taskDefaults.timeout()),
        difference(options.heartbeatTimeout(), taskDefaults.heartbeatTimeout()),
        difference(options.keepResult(), taskDefaults.keepResult()),
        CrashPolicy.DEFAULT.equals(options.crash()) ? null : options.crash());
  }

  private static <T> @Nullable T difference(@Nullable T own, @Nullable T ofTask) {
    return own == null || own.equals(ofTask) ? null : own;
  }

  /** This policy, with what it leaves open taken from the task. */
  public JobPolicy orElse(JobOptions taskDefaults) {
    return new JobPolicy(
        retry != null ? retry : taskDefaults.retry(),
        timeout != null ? timeout : taskDefaults.timeout(),
        heartbeatTimeout != null ? heartbeatTimeout : taskDefaults.heartbeatTimeout(),
        keepResult != null ? keepResult : taskDefaults.keepResult(),
        crash);
  }

  /** The crash policy in force. */
  public CrashPolicy crashOrDefault() {
    return crash != null ? crash : CrashPolicy.DEFAULT;
  }

  /** The retry policy in force. */
  public RetryPolicy retryOrDefault() {
    return retry != null ? retry : RetryPolicy.DEFAULT;
  }
}
