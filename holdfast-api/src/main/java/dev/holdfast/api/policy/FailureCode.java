package dev.holdfast.api.policy;

import java.util.regex.Pattern;

/**
 * The codes that Holdfast gives to failed attempts. Retry rules can match them. Handlers fail with
 * their own codes by throwing a {@link dev.holdfast.api.run.TaskFailure}.
 */
public final class FailureCode {
  /** The handler threw an exception without a code. */
  public static final String TASK_FAILED = "TASK_FAILED";

  /** The attempt exceeded its timeout. */
  public static final String TIMED_OUT = "TIMED_OUT";

  /** The attempt did not call {@code heartbeat} within its heartbeat timeout. */
  public static final String HEARTBEAT_TIMED_OUT = "HEARTBEAT_TIMED_OUT";

  /**
   * The payload could not be decoded to the type that the task expects. The job is passed to other
   * nodes that serve its task as long as one of them may be able to decode it, and is then retried
   * according to its policy.
   */
  public static final String BAD_PAYLOAD = "BAD_PAYLOAD";

  /** The result could not be encoded. Never retried. */
  public static final String BAD_RESULT = "BAD_RESULT";

  /** The result of the job, or of one of its durable steps, is too large. Never retried. */
  public static final String OUTPUT_TOO_LARGE = "OUTPUT_TOO_LARGE";

  /**
   * The stored durable steps of the job do not match those that its handler executes. Retried only
   * on other nodes, and for a step of a run.
   */
  public static final String JOURNAL_MISMATCH = "JOURNAL_MISMATCH";

  /** The handler was interrupted, but not by Holdfast. */
  public static final String INTERRUPTED = "INTERRUPTED";

  /** The database refused to store the outcome of the attempt. */
  public static final String NOT_RECORDED = "NOT_RECORDED";

  /** The node that ran the job died, or sent no heartbeat in time. */
  public static final String WORKER_CRASHED = "WORKER_CRASHED";

  /**
   * The node fenced itself too often while the job was running: the job may be what stalls the
   * process. Never retried.
   */
  public static final String NODE_FENCED = "NODE_FENCED";

  /** The stored job could not be read. Never retried. */
  public static final String UNREADABLE = "UNREADABLE";

  private static final Pattern VALID = Pattern.compile("[A-Z][A-Z0-9_]{0,63}");

  private FailureCode() {}

  /**
   * Checks a failure code.
   *
   * @return the code
   * @throws IllegalArgumentException if the code is not valid
   */
  public static String checked(String code) {
    if (!VALID.matcher(code).matches()) {
      throw new IllegalArgumentException(
          "Failure code '%s' is not valid: use A-Z, 0-9 and _, at most 64 characters, such as CARD_DECLINED."
              .formatted(code));
    }
    return code;
  }
}
