package dev.holdfast.testkit.memory;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.trigger.Published.Decision;
import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.engine.store.Admission;
import dev.holdfast.engine.store.EventIntake;
import dev.holdfast.engine.store.Intake;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.trigger.SubjectState;
import dev.holdfast.engine.trigger.SubjectState.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Publishes events and creates the jobs that they start. */
final class MemoryEvents implements EventIntake {
  private final Tables tables;
  private final Intake intake;
  private final MemoryTriggerStore triggers;

  MemoryEvents(Tables tables, Intake intake, MemoryTriggerStore triggers) {
    this.tables = tables;
    this.intake = intake;
    this.triggers = triggers;
  }

  @Override
  public List<Started> publish(String event, Plan plan) {
    return tables.transaction(now -> {
      List<Trigger> listening = triggers.listening(event);
      List<Start> starts = listening.isEmpty() ? List.of() : plan.of(listening);
      // There is no rollback, so everything that can be refused is checked first.
      starts.forEach(start -> StorableText.require(start.job()));
      return starts.stream().map(start -> carryOut(start, now)).toList();
    });
  }

  private Started carryOut(Start start, Instant now) {
    SubjectRules rules = start.rules();
    return rules == null ? admit(start, start.job(), null) : judge(start, rules, now);
  }

  private Started judge(Start start, SubjectRules rules, Instant now) {
    SubjectState state = triggers.subject(start.trigger(), rules.subject());
    JobId own = start.job().id();
    JobId holder = tables.keys.holder(Keys.Key.of(start.job().content().task(), key(start)), now);
    return switch (state.decide(rules, own, holder, now)) {
      case Step.Repeat repeat -> new Started(start.trigger(), rules.made(), own);
      case Step.Duplicate(JobId job) -> new Started(start.trigger(), Decision.DEDUPLICATED, job);
      case Step.Cool(JobId job) -> new Started(start.trigger(), Decision.IN_COOLDOWN, job);
      case Step.Postpone(JobId job, Instant firesAt) -> {
        if (postpone(start, job, firesAt, now)) {
          remember(start, rules, new SubjectState(job, state.since(), firesAt));
          yield new Started(start.trigger(), Decision.DEBOUNCED, job);
        }
        yield holder != null
            ? new Started(start.trigger(), Decision.DEDUPLICATED, holder)
            : open(start, rules.quietEnd(now, now), now);
      }
      case Step.Open(Instant firesAt) -> open(start, firesAt, now);
    };
  }

  /**
   * Postpones a job and returns whether it could: only a job that was never claimed and is not due
   * yet still waits for the debounce time.
   */
  private boolean postpone(Start start, JobId id, Instant firesAt, Instant now) {
    JobRow row = tables.live.get(id);
    if (row == null
        || row.state != JobState.SCHEDULED
        || row.token != 0
        || row.isDue(now)
        || !row.task.equals(start.job().content().task())) {
      return false;
    }
    row.payload = start.job().content().payload();
    row.runAt = firesAt;
    Duration window = Objects.requireNonNull(key(start).window());
    tables.keys.move(row, key(start), firesAt.plus(window));
    return true;
  }

  private Started open(Start start, Instant firesAt, Instant now) {
    return admit(
        start, start.jobAt(firesAt, now), new SubjectState(start.job().id(), now, firesAt));
  }

  /**
   * Enqueues a job. One that exists with the same id counts as created: the call is a repeat after
   * a lost result.
   */
  private Started admit(Start start, NewJob job, @Nullable SubjectState state) {
    Admission admission = intake.enqueue(List.of(job)).get(0);
    if (!admission.id().equals(job.id())) {
      return new Started(start.trigger(), Decision.DEDUPLICATED, admission.id());
    }
    SubjectRules rules = start.rules();
    if (rules != null && state != null) {
      remember(start, rules, state);
    }
    return new Started(
        start.trigger(), rules == null ? Decision.STARTED : rules.made(), admission.id());
  }

  private void remember(Start start, SubjectRules rules, SubjectState state) {
    triggers.remember(start.trigger(), rules.subject(), state);
  }

  private static UniqueKey key(Start start) {
    return Objects.requireNonNull(start.job().unique());
  }
}
