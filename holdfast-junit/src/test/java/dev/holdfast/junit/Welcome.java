package dev.holdfast.junit;

import dev.holdfast.api.task.TaskType;

/** A payload, and its task. */
record Welcome(String email) {
  static final TaskType<Welcome, String> TASK =
      TaskType.of("email::welcome", Welcome.class, String.class);
}
