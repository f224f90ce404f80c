package dev.holdfast.tck.fault;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.store.Claims;
import dev.holdfast.engine.store.Definitions;
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
import dev.holdfast.engine.store.RunRepair;
import dev.holdfast.engine.store.RunStore;
import dev.holdfast.engine.store.ScheduleStore;
import dev.holdfast.engine.store.Staging;
import dev.holdfast.engine.store.Store;
import dev.holdfast.engine.store.TaskStore;
import dev.holdfast.engine.store.TriggerStore;
import dev.holdfast.engine.store.Upkeep;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A store that loses replies on demand. After {@code loseReply(StoreMethod.CLAIM)}, the next claim
 * is executed and then fails as if the connection had broken.
 */
public final class FaultyStore implements Store {

  /** How a call fails. */
  public enum Fault {
    /** The call is executed, and its reply is lost. */
    REPLY_LOST,
    /** The call never reaches the store. */
    NOT_SENT
  }

  private final Store real;
  private final Map<StoreMethod, Queue<Fault>> faults = new ConcurrentHashMap<>();

  private final Map<StoreMethod, Consumer<List<Object>>> before = new ConcurrentHashMap<>();
  private final Map<StoreMethod, Runnable> after = new ConcurrentHashMap<>();
  private final Map<StoreMethod, LongAdder> calls = new ConcurrentHashMap<>();
  private volatile boolean cut;

  public FaultyStore(Store real) {
    this.real = real;
  }

  /** Makes the next call of this method lose its reply after it was executed. */
  public FaultyStore loseReply(StoreMethod method) {
    return plan(method, Fault.REPLY_LOST);
  }

  /** Makes the next call of this method fail before it is executed. */
  public FaultyStore failNext(StoreMethod method) {
    return plan(method, Fault.NOT_SENT);
  }

  private FaultyStore plan(StoreMethod method, Fault fault) {
    faults.computeIfAbsent(method, key -> new ConcurrentLinkedQueue<>()).add(fault);
    return this;
  }

  /**
   * Runs a hook before each call of this method, with its arguments. If the hook throws, the call
   * is not executed.
   */
  public FaultyStore before(StoreMethod method, Consumer<List<Object>> hook) {
    before.put(method, hook);
    return this;
  }

  /** Runs a hook after each call of this method, before the caller gets the result. */
  public FaultyStore after(StoreMethod method, Runnable hook) {
    after.put(method, hook);
    return this;
  }

  /** Returns how often this method was called. */
  public long calls(StoreMethod method) {
    LongAdder count = calls.get(method);
    return count == null ? 0 : count.sum();
  }

  /** Blocks all calls until {@link #heal}. */
  public void cut() {
    cut = true;
  }

  /** Lets calls reach the store again. */
  public void heal() {
    cut = false;
  }

  /** Returns whether every planned fault has happened. */
  public boolean allFaultsHappened() {
    return faults.values().stream().allMatch(Queue::isEmpty);
  }

  private <T> T faulty(Class<T> role, T delegate) {
    return role.cast(
        Proxy.newProxyInstance(
            role.getClassLoader(),
            new Class<?>[] {role},
            (proxy, method, arguments) -> {
              StoreMethod known = StoreMethod.of(method);
              Fault fault = known == null ? null : announce(known, arguments);
              if (fault == Fault.NOT_SENT || cut) {
                throw broken(Outcome.RETRYABLE, method);
              }
              Object returned = call(method, delegate, arguments);
              if (known != null) {
                after.getOrDefault(known, () -> {}).run();
              }
              if (fault == Fault.REPLY_LOST) {
                throw broken(Outcome.UNKNOWN, method);
              }
              return returned;
            }));
  }

  /** Counts a call, runs the hook before it, and returns its planned fault. */
  private @Nullable Fault announce(StoreMethod method, Object @Nullable [] arguments) {
    calls.computeIfAbsent(method, key -> new LongAdder()).increment();
    Consumer<List<Object>> hook = before.get(method);
    if (hook != null) {
      hook.accept(arguments == null ? List.of() : Arrays.asList(arguments));
    }
    return faults.getOrDefault(method, new ArrayDeque<>()).poll();
  }

  private static @Nullable Object call(
      Method method, Object delegate, Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(delegate, arguments);
    } catch (InvocationTargetException thrown) {
      throw thrown.getCause() != null ? thrown.getCause() : thrown;
    }
  }

  private static StoreException broken(Outcome outcome, Method method) {
    return new StoreException(
        outcome, "The connection broke during " + method.getName() + ".", null);
  }

  @Override
  public Intake intake() {
    return faulty(Intake.class, real.intake());
  }

  @Override
  public Intake intakeIn(Connection transaction, boolean wakes) {
    return faulty(Intake.class, real.intakeIn(transaction, wakes));
  }

  @Override
  public EventIntake events() {
    return faulty(EventIntake.class, real.events());
  }

  @Override
  public EventIntake eventsIn(Connection transaction, boolean wakes) {
    return faulty(EventIntake.class, real.eventsIn(transaction, wakes));
  }

  @Override
  public TriggerStore triggers() {
    return faulty(TriggerStore.class, real.triggers());
  }

  @Override
  public Claims claims() {
    return faulty(Claims.class, real.claims());
  }

  @Override
  public Outcomes outcomes() {
    return faulty(Outcomes.class, real.outcomes());
  }

  @Override
  public Staging staging() {
    return faulty(Staging.class, real.staging());
  }

  @Override
  public JobQueries queries() {
    return faulty(JobQueries.class, real.queries());
  }

  @Override
  public JobControl control() {
    return faulty(JobControl.class, real.control());
  }

  @Override
  public QueueStore queues() {
    return faulty(QueueStore.class, real.queues());
  }

  @Override
  public TaskStore tasks() {
    return faulty(TaskStore.class, real.tasks());
  }

  @Override
  public NodeStore nodes() {
    return faulty(NodeStore.class, real.nodes());
  }

  @Override
  public Recovery recovery() {
    return faulty(Recovery.class, real.recovery());
  }

  @Override
  public LeaseStore leases() {
    return faulty(LeaseStore.class, real.leases());
  }

  @Override
  public Upkeep upkeep() {
    return faulty(Upkeep.class, real.upkeep());
  }

  @Override
  public ScheduleStore schedules() {
    return faulty(ScheduleStore.class, real.schedules());
  }

  @Override
  public RunStore runs() {
    RunStore runs = real.runs();
    return new RunStore() {
      @Override
      public Definitions definitions() {
        return faulty(Definitions.class, runs.definitions());
      }

      @Override
      public RunIntake intake() {
        return faulty(RunIntake.class, runs.intake());
      }

      @Override
      public RunIntake intakeIn(Connection transaction, boolean wakes) {
        return faulty(RunIntake.class, runs.intakeIn(transaction, wakes));
      }

      @Override
      public RunAdvance advance() {
        return faulty(RunAdvance.class, runs.advance());
      }

      @Override
      public RunControl control() {
        return faulty(RunControl.class, runs.control());
      }

      @Override
      public RunQueries queries() {
        return faulty(RunQueries.class, runs.queries());
      }

      @Override
      public RunRepair repair() {
        return faulty(RunRepair.class, runs.repair());
      }
    };
  }

  @Override
  public Journals journals() {
    return faulty(Journals.class, real.journals());
  }

  @Override
  public ClusterCoordinator coordinator() {
    return real.coordinator();
  }

  @Override
  public void close() {
    real.close();
  }
}
