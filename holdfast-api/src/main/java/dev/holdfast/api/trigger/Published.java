package dev.holdfast.api.trigger;

import dev.holdfast.api.job.JobId;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What came of publishing an event.
 *
 * @param event its name
 * @param outcomes what each trigger that listens to it made of it, by id; paused ones do not listen
 */
public record Published(String event, List<Outcome> outcomes) {

  /** What a trigger did with an event. */
  public enum Decision {
    /** It started its task. */
    STARTED,
    /** An equal payload was started within the window, or waits to be. */
    DEDUPLICATED,
    /** It starts its task when the subject has been quiet, unless another event comes before. */
    DEBOUNCED,
    /** The subject was started a moment ago; the event was swallowed. */
    IN_COOLDOWN,
    /** The trigger's conditions were not met. */
    NOT_MATCHED
  }

  /**
   * What one trigger made of an event.
   *
   * @param trigger its id
   * @param job the job that stands for the event: started, waiting for quiet, or the one that made
   *     it superfluous; null if it was filtered
   */
  public record Outcome(String trigger, Decision decision, @Nullable JobId job) {}

  public Published {
    outcomes = List.copyOf(outcomes);
  }

  /** How many triggers wanted the event: they listen to it, and their conditions were met. */
  public int matched() {
    return outcomes.size() - of(Decision.NOT_MATCHED).size();
  }

  /** The outcomes of one fate. */
  public List<Outcome> of(Decision fate) {
    return outcomes.stream().filter(outcome -> outcome.decision() == fate).toList();
  }

  /** The jobs that this event started. */
  public List<JobId> started() {
    return outcomes.stream()
        .filter(outcome -> outcome.decision() == Decision.STARTED)
        .map(Outcome::job)
        .filter(Objects::nonNull)
        .toList();
  }
}
