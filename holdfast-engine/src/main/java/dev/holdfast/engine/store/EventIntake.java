package dev.holdfast.engine.store;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.job.When;
import dev.holdfast.api.trigger.Published.Decision;
import dev.holdfast.api.trigger.Trigger;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Publishes events and creates the jobs that they start. */
public interface EventIntake {

  /**
   * Decides which jobs the triggers start. It must be a pure function: a store may call it more
   * than once.
   */
  @FunctionalInterface
  interface Plan {
    /**
     * Returns the jobs to start, in the order of the triggers; none for a trigger that does not
     * match the event.
     */
    List<Start> of(List<Trigger> listening);
  }

  /**
   * A job that a trigger is to start.
   *
   * @param trigger the id of the trigger
   * @param job the job, due at once, with the unique key that lets its payload start once in the
   *     window
   * @param rules the rules for the subject of the event; null to start regardless of earlier starts
   */
  record Start(String trigger, NewJob job, @Nullable SubjectRules rules) {

    /**
     * Returns the job with another due time; the window of its unique key counts from that time.
     */
    public NewJob jobAt(Instant firesAt, Instant now) {
      UniqueKey key = Objects.requireNonNull(job.unique());
      Duration window = Objects.requireNonNull(key.window());
      return job.at(
          firesAt.isAfter(now) ? new When.At(firesAt) : When.NOW,
          UniqueKey.within(key.value(), window.plus(Duration.between(now, firesAt))));
    }
  }

  /**
   * What a trigger takes into account about the subject of an event.
   *
   * @param subject what the event is about
   * @param quiet how long no event of the subject may arrive before the job starts; null to start
   *     at once
   * @param maxWait how long after the first event the job starts in any case; null for no limit
   * @param cooldown how long after a start further events of the subject start nothing; null for no
   *     cooldown
   */
  record SubjectRules(
      String subject,
      @Nullable Duration quiet,
      @Nullable Duration maxWait,
      @Nullable Duration cooldown) {

    /** Returns the decision for an event whose job was created, by this call or an earlier one. */
    public Decision made() {
      return quiet == null ? Decision.STARTED : Decision.DEBOUNCED;
    }

    /**
     * Returns when the job starts if no further event arrives.
     *
     * @param since when the first event arrived
     */
    public Instant quietEnd(Instant since, Instant now) {
      Instant end = quiet == null ? now : now.plus(quiet);
      Instant latest = maxWait == null ? end : since.plus(maxWait);
      return latest.isBefore(end) ? latest : end;
    }
  }

  /**
   * The result of a {@link Start}.
   *
   * @param decision anything but NOT_MATCHED
   * @param job the job that stands for the event
   */
  record Started(String trigger, Decision decision, JobId job) {}

  /**
   * Reads the triggers that listen to an event and are not paused, and creates the jobs that the
   * plan returns for them: all in one transaction, or none.
   *
   * <p>The call can be repeated after a lost reply if the plan gives its jobs the same ids and
   * marks them as possibly existing.
   *
   * @return one result per start, in their order
   */
  List<Started> publish(String event, Plan plan);
}
