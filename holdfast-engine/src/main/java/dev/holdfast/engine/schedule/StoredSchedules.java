package dev.holdfast.engine.schedule;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.When;
import dev.holdfast.api.schedule.FireResult;
import dev.holdfast.api.schedule.PutResult;
import dev.holdfast.api.schedule.Schedule;
import dev.holdfast.api.schedule.ScheduleStatus;
import dev.holdfast.api.schedule.Schedules;
import dev.holdfast.engine.intake.JobOrigin;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.schedule.ScheduleWriter.Change;
import dev.holdfast.engine.store.Admission;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.SchedulePlan;
import dev.holdfast.engine.store.ScheduleStore.Glance;
import dev.holdfast.engine.store.ScheduleStore.Kept;
import dev.holdfast.engine.store.Store;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The client's side of schedules. */
public final class StoredSchedules implements Schedules {
  private static final int MOST_TIMES = 1_000;
  private static final int TRIES = 3;

  private final Store store;
  private final ScheduleWriter writer;
  private final Planner planner;
  private final JobOrigin origin;
  private final SignalBus bus;
  private final Supplier<UUID> ids;
  private final Consumer<String> queueCheck;

  /**
   * Creates the client's side of schedules.
   *
   * @param queueCheck warns about or rejects queues that no node serves
   */
  public StoredSchedules(
      Store store,
      Planner planner,
      JobOrigin origin,
      SignalBus bus,
      Supplier<UUID> ids,
      Consumer<String> queueCheck) {
    this.store = store;
    this.writer = new ScheduleWriter(store.schedules());
    this.planner = planner;
    this.origin = origin;
    this.bus = bus;
    this.ids = ids;
    this.queueCheck = queueCheck;
  }

  @Override
  public PutResult put(Schedule schedule) {
    SchedulePlan plan = planner.plan(schedule);
    queueCheck.accept(plan.job().queue());
    PutResult result = writer.change(plan.id(), glance -> put(plan, glance));
    if (result != PutResult.UNCHANGED) {
      bus.publish(new Signal.SchedulesChanged());
    }
    return result;
  }

  private static Change<PutResult> put(SchedulePlan plan, Glance glance) {
    glance
        .kept()
        .map(kept -> kept.draft().declared())
        .ifPresent(owner -> {
          throw new IllegalArgumentException(
              "Schedule '%s' is declared by application '%s': change it there, or choose another id."
                  .formatted(plan.id(), owner.application()));
        });
    Change<PutResult> change = ScheduleWriter.put(plan, null, glance);
    if (change.draft() != null && change.draft().nextFire() == null) {
      throw new IllegalArgumentException(
          "Schedule '%s' would never be due (%s, end: %s, now: %s): use a later end, or another timing."
              .formatted(
                  plan.id(),
                  plan.recurrence().timing(),
                  plan.recurrence().until() == null ? "none" : plan.recurrence().until(),
                  glance.now()));
    }
    return change;
  }

  @Override
  public Optional<ScheduleStatus> find(String id) {
    return store.schedules().look(id).kept().filter(kept -> !kept.cancelled()).map(this::status);
  }

  @Override
  public List<ScheduleStatus> list() {
    return store.schedules().list().stream().map(this::status).toList();
  }

  private ScheduleStatus status(Kept kept) {
    SchedulePlan plan = kept.plan();
    var declared = kept.draft().declared();
    return new ScheduleSnapshot(
        plan.id(),
        declared == null ? null : declared.application(),
        plan.job().task(),
        plan.job().queue(),
        plan.job().priority(),
        plan.job().payload(),
        plan.job().tags(),
        plan.recurrence(),
        kept.draft().paused(),
        kept.draft().nextFire(),
        kept.lastFire());
  }

  @Override
  public boolean pause(String id) {
    return writer.change(id, ScheduleWriter::pause);
  }

  @Override
  public boolean resume(String id) {
    boolean found = writer.change(id, ScheduleWriter::resume);
    bus.publish(new Signal.SchedulesChanged());
    return found;
  }

  @Override
  public FireResult fire(String id) {
    return fire(id, null);
  }

  /**
   * Fires a schedule.
   *
   * @param repeatable the id of the job, if the call may be repeated: a repeat with the same id
   *     fires no second job
   */
  public FireResult fire(String id, @Nullable JobId repeatable) {
    Optional<Kept> kept = store.schedules().look(id).kept().filter(found -> !found.cancelled());
    if (kept.isEmpty()) {
      return new FireResult.NotFound();
    }
    SchedulePlan plan = kept.get().plan();
    NewJob job =
        FirePlan.job(
            plan,
            null,
            When.NOW,
            repeatable == null ? new JobId(ids.get()) : repeatable,
            origin.of(plan.job().task()).source());
    Admission admission = enqueue(repeatable == null ? job : job.repeated());
    if (admission.outcome() != Enqueued.Outcome.CREATED) {
      return new FireResult.Overlapped(admission.id());
    }
    bus.publish(new Signal.NewWork(plan.job().queue(), plan.job().priority()));
    return new FireResult.Fired(admission.id());
  }

  /**
   * Writes the job; after a lost reply writes it again under the same id, which creates no second
   * job.
   */
  private Admission enqueue(NewJob job) {
    NewJob attempt = job;
    for (int tries = 1; ; tries++) {
      try {
        Admission admission = store.intake().enqueue(List.of(attempt)).getFirst();
        return admission.id().equals(job.id())
            ? new Admission(job.id(), Enqueued.Outcome.CREATED)
            : admission;
      } catch (StoreException failure) {
        if (failure.outcome() == StoreException.Outcome.REFUSED || tries == TRIES) {
          throw failure;
        }
        attempt = job.repeated();
      }
    }
  }

  @Override
  public boolean cancel(String id) {
    return store.schedules().cancel(id) > 0;
  }

  @Override
  public int cancelTagged(String tag) {
    return store.schedules().cancelTagged(tag);
  }

  @Override
  public List<Instant> next(String id, int count) {
    if (count < 1 || count > MOST_TIMES) {
      throw new IllegalArgumentException(
          "%d due times cannot be listed: ask for 1 to %d.".formatted(count, MOST_TIMES));
    }
    Glance glance = store.schedules().look(id);
    return glance
        .kept()
        .filter(kept -> !kept.cancelled())
        .map(kept -> next(kept, glance.now(), count))
        .orElse(List.of());
  }

  /** A paused schedule would continue with the first due time from now. */
  private static List<Instant> next(Kept kept, Instant now, int count) {
    DueTimes times = DueTimes.of(kept.plan().recurrence(), kept.draft().anchor());
    Optional<Instant> next =
        kept.draft().paused() ? times.after(now) : Optional.ofNullable(kept.draft().nextFire());
    List<Instant> found = new ArrayList<>();
    while (next.isPresent() && found.size() < count) {
      found.add(next.get());
      next = times.after(next.get());
    }
    return List.copyOf(found);
  }
}
