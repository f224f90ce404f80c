package dev.holdfast.api.internal;

/** The tasks that start runs of workflows. */
public final class StarterTask {
  private static final String SUFFIX = "::start-run";

  private StarterTask() {}

  /** Returns the name of the task that starts runs of a workflow. */
  public static String of(String workflow) {
    return workflow + SUFFIX;
  }

  /** Returns whether a task starts runs of a workflow. */
  public static boolean is(String task) {
    return task.endsWith(SUFFIX);
  }

  /** Returns the workflow whose runs a task starts. */
  public static String workflow(String task) {
    return task.substring(0, task.length() - SUFFIX.length());
  }
}
