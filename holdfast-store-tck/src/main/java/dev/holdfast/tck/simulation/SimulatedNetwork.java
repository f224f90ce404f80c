package dev.holdfast.tck.simulation;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.lease.LeaseRequest;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.LeaseStore;
import dev.holdfast.engine.store.NodeStore;
import dev.holdfast.engine.store.Outcomes;
import dev.holdfast.engine.store.Recovery;
import dev.holdfast.tck.fault.StoreMethod;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The network between one host and the store. A request takes time to arrive, is executed even if
 * its sender has died meanwhile, and its reply takes time to return; the calling simulated thread
 * waits for it.
 */
final class SimulatedNetwork implements Interposed.Between {
  private static final long PATIENCE = 3_000_000_000L;

  /** Calls that change nothing, after which there is nothing to check. */
  private static final Set<StoreMethod> READS =
      Set.of(
          StoreMethod.QUEUES_WITH_READY_JOBS,
          StoreMethod.FIND_JOBS,
          StoreMethod.LIST_JOBS,
          StoreMethod.LIST_QUEUES,
          StoreMethod.LIST_TASKS,
          StoreMethod.FIND_TRIGGER,
          StoreMethod.LIST_TRIGGERS,
          StoreMethod.LOOK,
          StoreMethod.LIST_NODES,
          StoreMethod.LIST_CLAIMS,
          StoreMethod.ORPHANS,
          StoreMethod.FIND_LEASE,
          StoreMethod.LIST_LEASES,
          StoreMethod.DUE,
          StoreMethod.LOOK_AT_SCHEDULE,
          StoreMethod.LIST_SCHEDULES);

  private static final long SECOND = 1_000_000_000L;

  private final Timeline timeline;
  private final Host host;
  private final FaultModel weather;
  private final InvariantChecker ledger;
  private final LeaseChecker leases;
  private final Trace journal;
  private final SplittableRandom random;
  private final Consumer<UUID> onSignOfLife;

  /**
   * @param onSignOfLife told of every incarnation whose counter of heartbeats has moved
   */
  SimulatedNetwork(
      Timeline timeline,
      Host host,
      FaultModel weather,
      InvariantChecker ledger,
      LeaseChecker leases,
      Trace journal,
      Consumer<UUID> onSignOfLife) {
    this.onSignOfLife = onSignOfLife;
    this.timeline = timeline;
    this.host = host;
    this.weather = weather;
    this.ledger = ledger;
    this.leases = leases;
    this.journal = journal;
    this.random = host.chance();
  }

  /** A request, and what came of it. */
  private static final class Exchange {
    final Interposed.Call call;
    final boolean diesWithSender;
    boolean arrived;
    @Nullable Object answer;
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
    long sent = timeline.now();
    FaultModel.Trip trip = weather.trip(patience);
    Exchange exchange = new Exchange(call, random.nextBoolean());
    timeline.at(sent + trip.there(), () -> arrive(exchange));
    strike(sent, Math.min(trip.there() + trip.back(), trip.patience()));
    me.sleepUntil(sent + Math.min(trip.there() + trip.back(), trip.patience()));
    // One that was paused may find an answer that came after it would have given up.
    boolean answered = timeline.now() >= sent + trip.there() + trip.back();
    if (!exchange.arrived || !answered || trip.answerLost() || host.isCutOff()) {
      throw broken(Outcome.UNKNOWN, call);
    }
    if (exchange.failure != null) {
      throw exchange.failure;
    }
    return exchange.answer;
  }

  /** How long the caller waits; a beat says so itself. */
  private static long patienceOf(Interposed.Call call) {
    return call.arguments().size() == 1
            && call.arguments().get(0) instanceof NodeStore.Heartbeat beat
        ? beat.patience().toNanos()
        : PATIENCE;
  }

  /**
   * A process may crash or be paused between any two steps, and steps are thickest around calls.
   */
  private void strike(long sent, long took) {
    if (weather.strikes(0.002)) {
      timeline.at(
          sent + random.nextLong(took),
          () -> {
            if (!host.isCrashed()) {
              journal.note(host.name(), "crashes in the middle of a call");
              host.crash();
            }
          });
    } else if (weather.strikes(0.002)) {
      timeline.at(
          sent + random.nextLong(took),
          () -> {
            journal.note(host.name(), "is paused in the middle of a call");
            host.pause(random.nextLong(SECOND / 10, 9 * SECOND));
          });
    }
  }

  private void arrive(Exchange exchange) {
    if (host.isCrashed() && exchange.diesWithSender) {
      return;
    }
    exchange.arrived = true;
    if (weather.isStoreAway()) {
      exchange.failure = broken(Outcome.RETRYABLE, exchange.call);
      return;
    }
    if (weather.isStoreReadOnly() && !isRead(exchange.call)) {
      exchange.failure =
          new StoreException(
              Outcome.RETRYABLE,
              "The server is read-only, %s is refused.".formatted(exchange.call.name()),
              null);
      return;
    }
    try {
      exchange.answer = exchange.call.proceed();
    } catch (Throwable thrown) {
      exchange.failure = thrown;
    }
    journal.note(host.name(), exchange.call, exchange.answer);
    if (exchange.call.role() instanceof LeaseStore) {
      noteGrants(exchange.call, exchange.answer);
    } else if (!isRead(exchange.call)) {
      ledger.check();
      noteEnds(exchange.call);
      noteRecoveries(exchange.call);
      noteSignsOfLife(exchange.call, exchange.answer);
    }
  }

  private void noteGrants(Interposed.Call call, @Nullable Object answer) {
    if (answer instanceof LeaseStore.Result.Granted granted
        && call.arguments().get(0) instanceof LeaseRequest request
        && call.arguments().get(1) instanceof UUID acquisition) {
      leases.granted(request.key(), acquisition, granted.token());
    }
  }

  /** Whatever a sweeper has taken back, another node may start at once. */
  private void noteRecoveries(Interposed.Call call) {
    if (call.role() instanceof Recovery
        && call.is(StoreMethod.RECOVER)
        && call.arguments().get(1) instanceof List<?> rulings) {
      for (Object each : rulings) {
        if (each instanceof Recovery.RecoveryAction ruling) {
          ledger
              .tokenThatEnded(ruling.claim().id())
              .ifPresent(token -> ledger.takenBack(ruling.claim().id(), token));
        }
      }
    }
  }

  private void noteSignsOfLife(Interposed.Call call, @Nullable Object answer) {
    if (call.role() instanceof NodeStore && !call.arguments().isEmpty()) {
      if (call.arguments().get(0) instanceof NodeStore.NodeRegistration card) {
        onSignOfLife.accept(card.incarnation());
      } else if (call.arguments().get(0) instanceof NodeStore.Heartbeat beat
          && answer instanceof Optional<?> reply
          && reply.isPresent()) {
        onSignOfLife.accept(beat.incarnation());
      }
    }
  }

  /**
   * Whoever ends a job does something in the name of its claim that all can see. Of several reports
   * on one job, the one under the token it was held by did; a repeat beside it changed nothing.
   */
  private void noteEnds(Interposed.Call call) {
    if (call.role() instanceof Outcomes && call.arguments().get(1) instanceof List<?> finishes) {
      Map<JobId, Long> writers = new LinkedHashMap<>();
      for (Object each : finishes) {
        if (each instanceof Finish finish) {
          JobId id = finish.claim().id();
          long token = finish.claim().token();
          ledger
              .tokenThatEnded(id)
              .ifPresent(
                  held -> writers.merge(id, token, (one, other) -> one == held ? one : other));
        }
      }
      writers.forEach((id, token) -> ledger.effect(id, token, "its end was written"));
    }
  }

  private static boolean isRead(Interposed.Call call) {
    return READS.stream().anyMatch(call::is);
  }

  private static StoreException broken(Outcome outcome, Interposed.Call call) {
    return new StoreException(outcome, "The connection broke during " + call.name() + ".", null);
  }
}
