package dev.holdfast.api.trigger;

/** Publishes events. */
public interface Publisher {

  /**
   * Publishes an event: starts the task of each trigger for this event, in one transaction.
   *
   * <p>Several processes can publish the same event concurrently: a trigger starts its task at most
   * once per distinct payload within its window, whatever the order of the fields of the payload.
   * So it is safe to publish again after a failure.
   *
   * @param event the name of the event, such as {@code resource.updated}
   * @param payload the payload of the event and of the jobs that it starts; the codec must encode
   *     it as JSON
   * @return what each trigger did
   * @throws IllegalArgumentException if the name or the payload is not valid; nothing was started
   */
  Published publish(String event, Object payload);
}
