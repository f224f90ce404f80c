package dev.holdfast.engine.trigger;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.job.When;
import dev.holdfast.api.trigger.Published;
import dev.holdfast.api.trigger.Published.Decision;
import dev.holdfast.api.trigger.Published.Outcome;
import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.engine.codec.JobCause;
import dev.holdfast.engine.codec.JobTrace;
import dev.holdfast.engine.intake.JobOrigin;
import dev.holdfast.engine.store.EventIntake;
import dev.holdfast.engine.store.EventIntake.Start;
import dev.holdfast.engine.store.EventIntake.Started;
import dev.holdfast.engine.store.EventIntake.SubjectRules;
import dev.holdfast.engine.store.NewJob;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Publishes one event. It remembers the ids that it gave to jobs, so that a repeated call after a
 * lost reply finds them.
 */
public final class EventPublication {
  private final String event;
  private final Payload payload;
  private final EventIds ids;
  private final JobOrigin origin;
  private final @Nullable String trace;
  private final Map<String, JobId> jobs = new HashMap<>();
  private List<Trigger> listening = List.of();
  private boolean asked;

  /**
   * Creates the publication of an event.
   *
   * @param payload the payload as JSON
   * @param trace the trace context of the call; null for none
   * @throws IllegalArgumentException if the payload is not JSON
   */
  public EventPublication(
      String event, String payload, EventIds ids, JobOrigin origin, @Nullable String trace) {
    this.origin = origin;
    this.trace = trace;
    this.event = event;
    this.payload = Payload.read(event, payload);
    this.ids = ids;
  }

  /** Publishes the event. After a lost reply, it can be called again. */
  public Published publish(EventIntake intake) {
    boolean repeated = asked;
    asked = true;
    listening = List.of();
    List<Started> results = intake.publish(event, found -> plan(found, repeated));
    return new Published(event, listening.stream().map(t -> outcome(t, results)).toList());
  }

  /** Returns the triggers that listened when the event was last published. */
  public List<Trigger> listening() {
    return listening;
  }

  private List<Start> plan(List<Trigger> found, boolean repeated) {
    listening = List.copyOf(found);
    return found.stream().filter(payload::meets).map(t -> start(t, repeated)).toList();
  }

  private Start start(Trigger trigger, boolean repeated) {
    NewJob job =
        new NewJob(
            jobs.computeIfAbsent(trigger.id(), ids::of),
            ids.use(repeated),
            When.NOW,
            UniqueKey.within(payload.keyFor(trigger), trigger.window()),
            new NewJob.Content(
                trigger.task(),
                trigger.queue(),
                trigger.priority(),
                payload.text(),
                trigger.tags(),
                JobTrace.with(
                    JobCause.ofTrigger(
                        trigger.task(), trigger.id(), event, payload.subjectValue(trigger)),
                    trace),
                null,
                origin.of(trigger.task())));
    return new Start(trigger.id(), job, rules(trigger));
  }

  private @Nullable SubjectRules rules(Trigger trigger) {
    return trigger.hasSubjectRules()
        ? new SubjectRules(
            payload.subjectFor(trigger), trigger.debounce(), trigger.maxWait(), trigger.cooldown())
        : null;
  }

  private static Outcome outcome(Trigger trigger, List<Started> results) {
    return results.stream()
        .filter(result -> result.trigger().equals(trigger.id()))
        .findFirst()
        .map(result -> new Outcome(trigger.id(), result.decision(), result.job()))
        .orElseGet(() -> new Outcome(trigger.id(), Decision.NOT_MATCHED, null));
  }
}
