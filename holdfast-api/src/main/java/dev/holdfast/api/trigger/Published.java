package dev.holdfast.api.trigger;

import dev.holdfast.api.job.JobId;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The result of publishing an event.
 *
 * @param event the name of the event
 * @param outcomes what each trigger of the event did, ordered by trigger id; paused triggers are
 *     not included
 */
public record Published(String event, List<Outcome> outcomes) {

  /** What a trigger did with an event. */
  public enum Decision {
    /** The trigger started its task. */
    STARTED,
    /** The task was started with the same payload within the window, or is about to be. */
    DEDUPLICATED,
    /**
     * The trigger starts its task when no further event of the subject was published for the
     * debounce time.
     */
    DEBOUNCED,
    /** The task was started for the subject within the cooldown; the event was dropped. */
    IN_COOLDOWN,
    /** The payload does not meet the conditions of the trigger. */
    NOT_MATCHED
  }

  /**
   * What a trigger did with an event.
   *
   * @param trigger the id of the trigger
   * @param decision what it did
   * @param job the job that was started, waits for the debounce time, or made another one
   *     unnecessary; null if the conditions were not met
   */
  public record Outcome(String trigger, Decision decision, @Nullable JobId job) {}

  /** Copies the list. */
  public Published {
    outcomes = List.copyOf(outcomes);
  }

  /** Returns how many triggers of the event had their conditions met. */
  public int matched() {
    return outcomes.size() - of(Decision.NOT_MATCHED).size();
  }

  /** Returns the outcomes with the given decision. */
  public List<Outcome> of(Decision decision) {
    return outcomes.stream().filter(outcome -> outcome.decision() == decision).toList();
  }

  /** Returns the ids of the jobs that this event started. */
  public List<JobId> started() {
    return outcomes.stream()
        .filter(outcome -> outcome.decision() == Decision.STARTED)
        .map(Outcome::job)
        .filter(Objects::nonNull)
        .toList();
  }
}
