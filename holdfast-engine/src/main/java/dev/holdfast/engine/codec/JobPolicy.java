package dev.holdfast.engine.codec;

import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.policy.CrashPolicy;
import dev.holdfast.api.policy.RetryPolicy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a job that only the node that runs or recovers it needs.
 *
 * @param retry null for the policy of the task
 * @param timeout null for none
 * @param heartbeatTimeout null for none
 * @param keepResult null for as long as history is kept
 * @param crash null for the default. Unlike the others it is stored even if it equals that of the
 *     task, since the node that recovers a job may not know its task.
 */
public record JobPolicy(
    @Nullable RetryPolicy retry,
    @Nullable Duration timeout,
    @Nullable Duration heartbeatTimeout,
    @Nullable Duration keepResult,
    @Nullable CrashPolicy crash) {

  /** A policy without settings. */
  public static final JobPolicy NONE = new JobPolicy(null, null, null, null, null);

  /**
   * Returns the policy that is stored with a job: the options that differ from those of its task.
   */
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

  /** Returns this policy, completed with the defaults of the task. */
  public JobPolicy orElse(JobOptions taskDefaults) {
    return new JobPolicy(
        retry != null ? retry : taskDefaults.retry(),
        timeout != null ? timeout : taskDefaults.timeout(),
        heartbeatTimeout != null ? heartbeatTimeout : taskDefaults.heartbeatTimeout(),
        keepResult != null ? keepResult : taskDefaults.keepResult(),
        crash);
  }

  /** Returns the crash policy in force. */
  public CrashPolicy crashOrDefault() {
    return crash != null ? crash : CrashPolicy.DEFAULT;
  }

  /** Returns the retry policy in force. */
  public RetryPolicy retryOrDefault() {
    return retry != null ? retry : RetryPolicy.DEFAULT;
  }
}
