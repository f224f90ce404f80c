package dev.holdfast.tck.fault;

import dev.holdfast.engine.store.Claims;
import dev.holdfast.engine.store.EventIntake;
import dev.holdfast.engine.store.Intake;
import dev.holdfast.engine.store.JobControl;
import dev.holdfast.engine.store.JobQueries;
import dev.holdfast.engine.store.Journals;
import dev.holdfast.engine.store.LeaseStore;
import dev.holdfast.engine.store.NodeStore;
import dev.holdfast.engine.store.Outcomes;
import dev.holdfast.engine.store.QueueStore;
import dev.holdfast.engine.store.Recovery;
import dev.holdfast.engine.store.RunAdvance;
import dev.holdfast.engine.store.RunControl;
import dev.holdfast.engine.store.RunIntake;
import dev.holdfast.engine.store.RunQueries;
import dev.holdfast.engine.store.ScheduleStore;
import dev.holdfast.engine.store.Staging;
import dev.holdfast.engine.store.TaskStore;
import dev.holdfast.engine.store.TriggerStore;
import dev.holdfast.engine.store.Upkeep;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The store methods that tests intercept. Each constant calls its method instead of naming it in a
 * string, so that the compiler notices a method that was renamed. A constant stands for all
 * overloads of its method.
 */
@SuppressWarnings("NullAway") // The arguments only select a method; no store ever sees them.
public enum StoreMethod {
  ENQUEUE(Intake.class, intake -> intake.enqueue(null)),
  PUBLISH(EventIntake.class, events -> events.publish(null, null)),
  CLAIM(Claims.class, claims -> claims.claim(null)),
  QUEUES_WITH_READY_JOBS(Claims.class, claims -> claims.queuesWithReadyJobs(null, null, null)),
  START(Claims.class, claims -> claims.start(null, null)),
  FINISH(Outcomes.class, outcomes -> outcomes.finish(null, null)),
  EXPRESS(RunAdvance.class, advance -> advance.express(null, null, null)),
  APPEND(Journals.class, journals -> journals.append(null, null, null)),
  LOAD(Journals.class, journals -> journals.load(null)),
  TAKE(Journals.class, journals -> journals.take(null, null, null)),
  STEP_TRANSACTION(Journals.class, StoreMethod::stepTransaction),
  SEND_SIGNAL(Journals.class, journals -> journals.signal(null, null)),
  STAGE(Staging.class, staging -> staging.stage(0)),
  FIND_JOBS(JobQueries.class, queries -> queries.find(null)),
  LIST_JOBS(JobQueries.class, queries -> queries.list(null, null, 0)),
  LIST_QUEUES(QueueStore.class, queues -> queues.list()),
  LIST_TASKS(TaskStore.class, tasks -> tasks.list()),
  FIND_TRIGGER(TriggerStore.class, triggers -> triggers.find(null)),
  LIST_TRIGGERS(TriggerStore.class, triggers -> triggers.list()),
  RETRY_ALL(JobControl.class, control -> control.retryAll(null, null, 0)),
  REPORT(TaskStore.class, tasks -> tasks.report(null)),
  REGISTER(NodeStore.class, nodes -> nodes.register(null, null, null)),
  BEAT(NodeStore.class, nodes -> nodes.beat(null)),
  LOOK(NodeStore.class, nodes -> nodes.look(null, 0, false)),
  LIST_NODES(NodeStore.class, nodes -> nodes.list()),
  LIST_CLAIMS(NodeStore.class, nodes -> nodes.claims(null)),
  ORPHANS(Recovery.class, recovery -> recovery.orphans(null, null, null, 0)),
  RECOVER(Recovery.class, recovery -> recovery.recover(null, null)),
  END_SESSIONS(Recovery.class, recovery -> recovery.endSessions(null)),
  ACQUIRE(LeaseStore.class, leases -> leases.acquire(null, null, null)),
  RENEW(LeaseStore.class, leases -> leases.renew(null)),
  END(LeaseStore.class, leases -> leases.end(null, null)),
  FIND_LEASE(LeaseStore.class, leases -> leases.find(null)),
  LIST_LEASES(LeaseStore.class, leases -> leases.list(null, null, 0)),
  TIDY(Upkeep.class, upkeep -> upkeep.tidy(null)),
  DECLARE(ScheduleStore.class, schedules -> schedules.declare(null, null, null)),
  DUE(ScheduleStore.class, schedules -> schedules.due(0)),
  LOOK_AT_SCHEDULE(ScheduleStore.class, schedules -> schedules.look(null)),
  LIST_SCHEDULES(ScheduleStore.class, schedules -> schedules.list()),
  FIRE(ScheduleStore.class, schedules -> schedules.fire(null)),
  START_RUN(RunIntake.class, runs -> runs.start(null, null, null)),
  ADVANCE(RunAdvance.class, runs -> runs.advance(null, null)),
  LOOK_AT_RUNS(RunAdvance.class, runs -> runs.look(null, null)),
  MARKED(RunAdvance.class, runs -> runs.marked(0)),
  FIND_RUN(RunQueries.class, runs -> runs.find(null)),
  PAUSE(RunControl.class, runs -> runs.pause(null, null)),
  CANCEL_RUN(RunControl.class, runs -> runs.cancel(null, null)),
  MOVE_RUN(RunControl.class, runs -> runs.move(null, null)),
  FIRE_TIMERS(RunAdvance.class, runs -> runs.fireTimers(0));

  private final Class<?> role;
  private final String method;

  <T> StoreMethod(Class<T> role, Consumer<T> call) {
    this.role = role;
    this.method = called(role, call).getName();
  }

  private static void stepTransaction(Journals journals) {
    try {
      journals.transaction(null, null, null, null);
    } catch (RuntimeException recorded) {
      throw recorded;
    } catch (Exception impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static <T> Method called(Class<T> role, Consumer<T> call) {
    Object recorder =
        Proxy.newProxyInstance(
            role.getClassLoader(),
            new Class<?>[] {role},
            (proxy, method, arguments) -> {
              throw new Recorded(method);
            });
    try {
      call.accept(role.cast(recorder));
    } catch (Recorded recorded) {
      return recorded.method;
    }
    throw new IllegalArgumentException("No method of %s was called.".formatted(role));
  }

  /** Returns whether the called method is this method or an overload of it. */
  public boolean is(Method called) {
    return called.getDeclaringClass() == role && called.getName().equals(method);
  }

  /** Returns the constant for a called method; null if tests do not intercept it. */
  static @Nullable StoreMethod of(Method called) {
    for (StoreMethod each : values()) {
      if (each.is(called)) {
        return each;
      }
    }
    return null;
  }

  /** Ends the recorded call, which cannot return a value of every type. */
  private static final class Recorded extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient Method method;

    private Recorded(Method method) {
      super(null, null, false, false);
      this.method = method;
    }
  }
}
