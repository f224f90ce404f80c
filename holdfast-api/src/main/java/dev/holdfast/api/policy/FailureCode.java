package dev.holdfast.api.policy;

import java.util.regex.Pattern;

/** The codes that Holdfast itself gives to failed attempts. */
public final class FailureCode {
  /** The handler threw something that has no code of its own. */
  public static final String TASK_FAILED = "TASK_FAILED";

  /** The attempt took longer than its timeout. */
  public static final String TIMED_OUT = "TIMED_OUT";

  /** The attempt gave no sign of getting on for longer than its heartbeat timeout. */
  public static final String HEARTBEAT_TIMED_OUT = "HEARTBEAT_TIMED_OUT";

  /**
   * The payload could not be read as what the task expects. The job goes to other nodes that serve
   * its task as long as one of them may be able to read it, and is retried by its policy then.
   */
  public static final String BAD_PAYLOAD = "BAD_PAYLOAD";

  /** The result could not be written, or is too large. Never retried. */
  public static final String BAD_RESULT = "BAD_RESULT";

  /** The handler was interrupted although nobody asked for it. */
  public static final String INTERRUPTED = "INTERRUPTED";

  /** The database refused to store how the attempt ended. */
  public static final String NOT_RECORDED = "NOT_RECORDED";

  /** The node that ran it died, or could not show in time that it lived. */
  public static final String WORKER_CRASHED = "WORKER_CRASHED";

  /**
   * Its node fenced itself too often while it ran: the job may be what stalls its process. Never
   * retried.
   */
  public static final String NODE_FENCED = "NODE_FENCED";

  /** What the database holds of the job could not be read. Never retried. */
  public static final String UNREADABLE = "UNREADABLE";

  private static final Pattern VALID = Pattern.compile("[A-Z][A-Z0-9_]{0,63}");

  private FailureCode() {}

  public static String checked(String code) {
    if (!VALID.matcher(code).matches()) {
      throw new IllegalArgumentException(
          "Failure code '%s' is not valid: use A-Z, 0-9 and _, at most 64 characters, such as CARD_DECLINED."
              .formatted(code));
    }
    return code;
  }
}
