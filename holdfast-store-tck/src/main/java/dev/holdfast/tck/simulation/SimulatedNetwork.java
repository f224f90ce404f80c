package dev.holdfast.tck.simulation;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import dev.holdfast.api.workflow.MaxActive;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.NodeStore;
import dev.holdfast.engine.store.RunControl;
import dev.holdfast.tck.fault.StoreMethod;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The network between one host and the store. A request takes time to arrive, is executed even if
 * its sender has died meanwhile, and its reply takes time to return. The calling thread waits for
 * it.
 */
final class SimulatedNetwork implements Interposed.Between {
  private static final long PATIENCE = 3_000_000_000L;
  private static final long SECOND = 1_000_000_000L;

  private final Timeline timeline;
  private final Host host;
  private final FaultModel faultModel;
  private final StoreObserver observer;
  private final StepTransactions transactions;
  private final Trace trace;
  private final SplittableRandom random;

  SimulatedNetwork(
      Timeline timeline,
      Host host,
      FaultModel faultModel,
      StoreObserver observer,
      StepTransactions transactions,
      Trace trace) {
    this.timeline = timeline;
    this.host = host;
    this.faultModel = faultModel;
    this.observer = observer;
    this.transactions = transactions;
    this.trace = trace;
    this.random = host.chance();
  }

  /** A request and its outcome. */
  private static final class Exchange {
    final Interposed.Call call;
    final boolean diesWithSender;
    boolean arrived;
    @Nullable Object result;
    @Nullable Throwable failure;

    Exchange(Interposed.Call call, boolean diesWithSender) {
      this.call = call;
      this.diesWithSender = diesWithSender;
    }
  }

  @Override
  public @Nullable Object call(Interposed.Call call) throws Throwable {
    SimulatedThread me = timeline.running();
    if (host.isCrashed()) {
      throw new SimulatedThread.Crashed();
    }
    long patience = patienceOf(call);
    if (host.isCutOff()) {
      me.sleepUntil(timeline.now() + random.nextLong(1_000_000, patience));
      throw broken(Outcome.RETRYABLE, call);
    }
    if (isTransaction(call)) {
      return transact(call, me);
    }
    long sent = timeline.now();
    FaultModel.Trip trip = faultModel.trip(patience);
    Exchange exchange = new Exchange(call, random.nextBoolean());
    timeline.at(sent + trip.there(), () -> arrive(exchange));
    strike(sent, Math.min(trip.there() + trip.back(), trip.patience()));
    me.sleepUntil(sent + Math.min(trip.there() + trip.back(), trip.patience()));
    // A caller that was paused may find a reply that arrived after it would have given up.
    boolean replied = timeline.now() >= sent + trip.there() + trip.back();
    if (!exchange.arrived || !replied || trip.replyLost() || host.isCutOff()) {
      throw broken(Outcome.UNKNOWN, call);
    }
    if (exchange.failure != null) {
      throw exchange.failure;
    }
    return exchange.result;
  }

  /** Returns whether a call is several statements: the others are one. */
  private static boolean isTransaction(Interposed.Call call) {
    return call.is(StoreMethod.ADVANCE)
        || call.is(StoreMethod.STEP_TRANSACTION)
        || call.role() instanceof RunControl
        || (call.is(StoreMethod.START_RUN)
            && call.arguments().get(0) instanceof NewRun run
            && run.content().gate() != null
            && run.content().gate().onFull() == MaxActive.OnFull.REPLACE);
  }

  /**
   * Executes a transaction of several statements, which the caller sends one after another. If it
   * crashes between them, nothing is committed; if it is paused, its locks remain.
   */
  private @Nullable Object transact(Interposed.Call call, SimulatedThread me) throws Throwable {
    long sent = timeline.now();
    FaultModel.Trip trip = faultModel.trip(PATIENCE);
    strike(sent, Math.min(trip.there() + trip.back(), SECOND / 20));
    me.sleepUntil(sent + Math.min(trip.there(), trip.patience()));
    requireConnection(call);
    if (trip.there() > trip.patience()) {
      throw broken(Outcome.RETRYABLE, call);
    }
    Object result =
        call.is(StoreMethod.STEP_TRANSACTION)
            ? transactions.execute(call, () -> requireConnection(call))
            : call.proceed();
    trace.note(host.name(), call, result);
    observer.committed(call, result);
    me.sleepUntil(timeline.now() + trip.back());
    if (trip.replyLost() || host.isCutOff()) {
      throw broken(Outcome.UNKNOWN, call);
    }
    return result;
  }

  private void requireConnection(Interposed.Call call) {
    if (faultModel.isStoreAway() || faultModel.isStoreReadOnly() || host.isCutOff()) {
      throw broken(Outcome.RETRYABLE, call);
    }
  }

  /** Returns how long the caller waits. A heartbeat states its own timeout. */
  private static long patienceOf(Interposed.Call call) {
    return call.arguments().size() == 1
            && call.arguments().get(0) instanceof NodeStore.Heartbeat beat
        ? beat.patience().toNanos()
        : PATIENCE;
  }

  /** Crashes or pauses the process at a random time during a call, where most steps happen. */
  private void strike(long sent, long took) {
    if (faultModel.strikes(0.002)) {
      timeline.at(
          sent + random.nextLong(took),
          () -> {
            if (!host.isCrashed()) {
              trace.note(host.name(), "crashes in the middle of a call");
              host.crash();
            }
          });
    } else if (faultModel.strikes(0.002)) {
      timeline.at(
          sent + random.nextLong(took),
          () -> {
            trace.note(host.name(), "is paused in the middle of a call");
            host.pause(random.nextLong(SECOND / 10, 9 * SECOND));
          });
    }
  }

  private void arrive(Exchange exchange) {
    if (host.isCrashed() && exchange.diesWithSender) {
      return;
    }
    exchange.arrived = true;
    if (faultModel.isStoreAway()) {
      exchange.failure = broken(Outcome.RETRYABLE, exchange.call);
      return;
    }
    if (faultModel.isStoreReadOnly() && !StoreObserver.isRead(exchange.call)) {
      exchange.failure =
          new StoreException(
              Outcome.RETRYABLE,
              "The server is read-only and rejects %s.".formatted(exchange.call.name()),
              null);
      return;
    }
    try {
      exchange.result = exchange.call.proceed();
    } catch (Throwable thrown) {
      exchange.failure = thrown;
    }
    trace.note(host.name(), exchange.call, exchange.result);
    observer.executed(exchange.call, exchange.result);
  }

  private static StoreException broken(Outcome outcome, Interposed.Call call) {
    return new StoreException(outcome, "The connection broke during " + call.name() + ".", null);
  }
}
