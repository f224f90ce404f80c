package dev.holdfast.engine.schedule;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.job.When;
import dev.holdfast.api.schedule.Overlap;
import dev.holdfast.api.schedule.Recurrence;
import dev.holdfast.engine.codec.JobCause;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.NewJob.IdUse;
import dev.holdfast.engine.store.NewJob.Stamp;
import dev.holdfast.engine.store.SchedulePlan;
import dev.holdfast.engine.store.ScheduleStore;
import dev.holdfast.engine.store.ScheduleStore.FireOrder;
import dev.holdfast.engine.store.ScheduleStore.Firing;
import dev.holdfast.engine.store.ScheduleStore.Kept;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Computes which jobs a due schedule creates: a pure function of its row and the time. */
final class FirePlan {
  /**
   * How long the unique key of a due time is kept. The next due time in the row keeps a due time
   * from being fired again; the key is for a schedule that is cancelled and created again, or for a
   * clock that is set back.
   */
  private static final Duration REMEMBERED = Duration.ofDays(1);

  private FirePlan() {}

  /**
   * Settles all due times.
   *
   * @param node the node that fires
   */
  static FireOrder settle(Kept kept, Instant due, Instant now, String node, Supplier<UUID> ids) {
    Recurrence recurrence = kept.plan().recurrence();
    DueTimes times = DueTimes.of(recurrence, kept.draft().anchor());
    List<Instant> latest = times.latest(due, now, MisfireDecision.relevant(recurrence.misfire()));
    Instant last = latest.isEmpty() ? due : latest.getLast();
    List<Firing> firings =
        MisfireDecision.toFire(latest.isEmpty() ? List.of(due) : latest, recurrence.misfire(), now)
            .stream()
            .map(time -> firing(kept.plan(), time, node, ids))
            .toList();
    return new FireOrder(kept, firings, last, times.after(last).orElse(null));
  }

  private static Firing firing(SchedulePlan plan, Instant time, String node, Supplier<UUID> ids) {
    Duration jitter = Jitter.of(plan.id(), time, plan.recurrence().jitter());
    When when = jitter.isZero() ? When.NOW : new When.At(time.plus(jitter));
    return new Firing(
        time,
        UniqueKey.within("schedule:%s:%s".formatted(plan.id(), time), REMEMBERED),
        job(plan, time, when, new JobId(ids.get()), node));
  }

  /**
   * Creates a job of a schedule, in its stack. The job has the key of the schedule as a tag, so
   * that it can be found.
   *
   * @param due the due time that it is for; null for a job that is created by request
   * @param source the node that creates it; null for a client without a node
   */
  static NewJob job(
      SchedulePlan plan, @Nullable Instant due, When when, JobId id, @Nullable String source) {
    SchedulePlan.JobTemplate template = plan.job();
    String name = ScheduleStore.overlapKey(plan.id());
    Set<String> tags =
        Stream.concat(template.tags().stream(), Stream.of(name)).collect(Collectors.toSet());
    return new NewJob(
        id,
        IdUse.FRESH,
        when,
        plan.recurrence().overlap() == Overlap.ALLOW ? null : UniqueKey.whileActive(name),
        new NewJob.Content(
            template.task(),
            template.queue(),
            template.priority(),
            template.payload(),
            tags,
            JobCause.ofSchedule(template.task(), template.policy(), plan.id(), due),
            template.startWithin(),
            new Stamp(template.stack(), source)));
  }
}
