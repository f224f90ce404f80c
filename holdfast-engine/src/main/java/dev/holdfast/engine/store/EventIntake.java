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

/** Events, and the jobs they start. */
public interface EventIntake {

  /** Says what triggers are to start. A pure function: a store may call it more than once. */
  @FunctionalInterface
  interface Plan {
    /**
     * The starts, in the order of the triggers; none for a trigger that does not want the event.
     */
    List<Start> of(List<Trigger> listening);
  }

  /**
   * A wish of a trigger to start a job.
   *
   * @param trigger the id of the trigger
   * @param job the job, due at once, with the key that lets its payload start once in the window
   * @param manners what to heed about the subject; null to start whatever was started before
   */
  record Start(String trigger, NewJob job, @Nullable SubjectRules manners) {

    /** The job, due at another time; its key counts from then on. */
    public NewJob jobAt(Instant firesAt, Instant now) {
      UniqueKey key = Objects.requireNonNull(job.unique());
      Duration window = Objects.requireNonNull(key.window());
      return new NewJob(
          job.id(),
          job.task(),
          job.queue(),
          job.priority(),
          firesAt.isAfter(now) ? new When.At(firesAt) : When.NOW,
          job.payload(),
          UniqueKey.within(key.value(), window.plus(Duration.between(now, firesAt))),
          job.tags(),
          job.policy(),
          job.startWithin(),
          job.idUse(),
          job.stamp());
    }
  }

  /**
   * What a trigger heeds about the subject of an event.
   *
   * @param subject what the event is about
   * @param quiet how long there must be no event of it before the job starts; null to start at once
   * @param maxWait how long after the first event the job starts in any case; null for no bound
   * @param cooldown how long after a start events of it are swallowed; null for not at all
   */
  record SubjectRules(
      String subject,
      @Nullable Duration quiet,
      @Nullable Duration maxWait,
      @Nullable Duration cooldown) {

    /** What became of an event whose job was made, now or by an earlier call. */
    public Decision made() {
      return quiet == null ? Decision.STARTED : Decision.DEBOUNCED;
    }

    /** When a job starts if no further event comes, the first having come then. */
    public Instant quietEnd(Instant since, Instant now) {
      Instant end = quiet == null ? now : now.plus(quiet);
      Instant latest = maxWait == null ? end : since.plus(maxWait);
      return latest.isBefore(end) ? latest : end;
    }
  }

  /**
   * What became of a start.
   *
   * @param decision anything but FILTERED
   * @param job the job that stands for the event
   */
  record Started(String trigger, Decision decision, JobId job) {}

  /**
   * Read the triggers that listen to an event and are not paused, and carry out what the plan makes
   * of them: all of it in one transaction, or none.
   *
   * <p>Repeatable after a lost answer, by a plan that gives its jobs the same ids and says that
   * they may exist.
   *
   * @return one answer per start, in their order
   */
  List<Started> publish(String event, Plan plan);
}
