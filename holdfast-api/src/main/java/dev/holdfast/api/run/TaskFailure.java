package dev.holdfast.api.run;

import dev.holdfast.api.policy.FailureCode;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler to fail with its own failure code, such as {@code CARD_DECLINED}. Retry rules
 * can match the code.
 */
public class TaskFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String code;

  /**
   * Creates a failure without a cause.
   *
   * @param code upper-case letters, digits and {@code _}, at most 64 characters
   */
  public TaskFailure(String code, String message) {
    this(code, message, null);
  }

  /**
   * Creates a failure with a cause.
   *
   * @param code upper-case letters, digits and {@code _}, at most 64 characters
   */
  public TaskFailure(String code, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.code = FailureCode.checked(code);
  }

  /** Returns the failure code. */
  public String code() {
    return code;
  }
}
