package dev.holdfast.api.trigger;

/** Somewhere to tell what happened. */
public interface Publisher {

  /**
   * Publish an event: start every task whose trigger listens to it, in one transaction.
   *
   * <p>Many processes may publish the same event at the same moment: a trigger starts its task at
   * most once per distinct payload within its window, whatever the order of the payload's fields.
   * So publishing again after a failure is harmless.
   *
   * @param event its name, such as {@code resource.updated}
   * @param payload what it says; it must be written as JSON
   * @return what each trigger made of it
   * @throws IllegalArgumentException for bad input; nothing was started
   */
  Published publish(String event, Object payload);
}
