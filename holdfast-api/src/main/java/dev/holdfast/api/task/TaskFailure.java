package dev.holdfast.api.task;

import dev.holdfast.api.policy.FailureCode;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler to fail with a code that retry rules and people can recognise, such as {@code
 * CARD_DECLINED}.
 */
public class TaskFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String code;

  public TaskFailure(String code, String message) {
    this(code, message, null);
  }

  public TaskFailure(String code, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.code = FailureCode.checked(code);
  }

  public String code() {
    return code;
  }
}
