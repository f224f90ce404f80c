package dev.holdfast.tck.simulation;

import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.lease.LeaseRequest;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimRequest;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.LeaseStore;
import dev.holdfast.engine.store.NodeSnapshot;
import dev.holdfast.engine.store.NodeStore;
import dev.holdfast.engine.store.NodeStore.ClaimRow;
import dev.holdfast.engine.store.NodeStore.Heartbeat;
import dev.holdfast.engine.store.NodeStore.HeartbeatReply;
import dev.holdfast.engine.store.NodeStore.NodeRegistration;
import dev.holdfast.engine.store.NodeStore.Timeouts;
import dev.holdfast.engine.store.Outcomes;
import dev.holdfast.engine.store.Store;
import dev.holdfast.tck.fault.StoreMethod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Realistic bugs of an engine. */
final class PlantedBugs {
  private static final Timeouts KNOWN = Timeouts.of(Duration.ofSeconds(4));

  private PlantedBugs() {}

  /** The end of an attempt is written regardless of the current holder. */
  static PlantedBug noTokenCheck() {
    return PlantedBug.inDatabase(real ->
        Interposed.on(
            real,
            call ->
                call.role() instanceof Outcomes outcomes
                        && call.arguments().get(1) instanceof List<?> finishes
                    ? finishAnyway(real, outcomes, finishes)
                    : call.proceed()));
  }

  private static List<Outcomes.Result> finishAnyway(
      Store real, Outcomes outcomes, List<?> finishes) {
    List<Outcomes.Result> results = new ArrayList<>();
    for (Object each : finishes) {
      Finish finish = (Finish) each;
      JobId id = finish.claim().id();
      Job job = real.queries().find(Set.of(id)).get(id);
      Optional<UUID> holder = real.nodes().holderOf(id);
      results.addAll(
          outcomes.finish(
              holder.orElseGet(UUID::randomUUID),
              List.of(under(new ClaimId(id, job == null ? 0 : job.fencingToken()), finish))));
    }
    return results;
  }

  private static Finish under(ClaimId held, Finish finish) {
    return switch (finish) {
      case Finish.Succeeded(var old, var result, var keep, var plain) ->
          new Finish.Succeeded(held, result, keep);
      case Finish.RetryIn(var old, var delay, var failure) ->
          new Finish.RetryIn(held, delay, failure);
      case Finish.Dead(var old, var failure) -> new Finish.Dead(held, failure);
      case Finish.Later(var old, var delay, var ran) -> new Finish.Later(held, delay, ran);
      case Finish.Parked(var old, var entry, var wake, var signal) ->
          new Finish.Parked(held, entry, wake, signal);
      case Finish.Cancelled(var old) -> new Finish.Cancelled(held);
    };
  }

  /** A node assumes a timeout of an hour, while other nodes wait for seconds. */
  static PlantedBug noSelfFencing() {
    return silentFor(Duration.ofHours(1));
  }

  /** A holder continues until the moment at which other nodes may act. */
  static PlantedBug noMargin() {
    return silentFor(KNOWN.running().multipliedBy(4).dividedBy(3));
  }

  /** A node assumes this timeout, while other nodes wait for four seconds. */
  private static PlantedBug silentFor(Duration believed) {
    return new PlantedBug(
        UnaryOperator.identity(),
        real ->
            Interposed.on(
                real,
                call ->
                    call.is(StoreMethod.REGISTER)
                            && call.arguments().get(0) instanceof NodeRegistration registration
                        ? call.proceedWith(
                            with(KNOWN, registration),
                            call.arguments().get(1),
                            call.arguments().get(2))
                        : call.proceed()),
        liveness -> liveness.with(settings -> settings.timeout(believed)));
  }

  private static NodeRegistration with(Timeouts changed, NodeRegistration registration) {
    return new NodeRegistration(
        registration.incarnation(),
        registration.id(),
        registration.name(),
        registration.host(),
        registration.pid(),
        registration.version(),
        changed,
        registration.queues(),
        registration.tasks(),
        registration.capacity(),
        registration.stack(),
        registration.serves(),
        registration.roles(),
        registration.advice());
  }

  /** A sweeper declares nodes dead by the clock of the database. */
  static PlantedBug stalenessByTheDatabaseClock() {
    return PlantedBug.inDatabase(real ->
        Interposed.on(
            real,
            call -> {
              if (call.role() instanceof NodeStore nodes && call.is(StoreMethod.LOOK)) {
                for (NodeSnapshot node : nodes.list()) {
                  if (node.alive()
                      && node.sinceLastHeartbeat()
                              .compareTo(node.registration().timeouts().running())
                          > 0) {
                    nodes.markDead(
                        node.registration().incarnation(), node.beat(), node.sinceLastHeartbeat());
                  }
                }
              }
              return call.proceed();
            }));
  }

  /** A node ignores jobs of claims whose reply was lost. */
  static PlantedBug lostRepliesForgotten() {
    return PlantedBug.inNodes(real -> {
      Set<Long> lost = new HashSet<>();
      return Interposed.on(
          real,
          call -> {
            if (call.arguments().size() == 1
                && call.arguments().get(0) instanceof ClaimRequest request) {
              lost.add(request.claimNo());
              Object returned = call.proceed();
              lost.remove(request.claimNo());
              return returned;
            }
            return withoutClaimsOf(lost, call.proceed());
          });
    });
  }

  private static @Nullable Object withoutClaimsOf(Set<Long> calls, @Nullable Object returned) {
    if (returned instanceof Optional<?> some
        && some.isPresent()
        && some.get() instanceof HeartbeatReply reply) {
      return Optional.of(
          new HeartbeatReply(
              reply.claims().stream().filter(row -> !calls.contains(row.claimNo())).toList(),
              reply.rules(),
              reply.tasks(),
              reply.modes(),
              reply.fenceRequested()));
    }
    if (returned instanceof List<?> rows) {
      // The final check, which compares everything that a node holds, must not find them either.
      return rows.stream()
          .filter(row -> !(row instanceof ClaimRow claim && calls.contains(claim.claimNo())))
          .toList();
    }
    return returned;
  }

  /** A fenced node starts over and keeps sending heartbeats for its former incarnation. */
  static PlantedBug heartbeatsAfterFencing() {
    return PlantedBug.inNodes(real -> {
      List<UUID> former = new ArrayList<>();
      return Interposed.on(
          real,
          call -> {
            if (call.is(StoreMethod.REGISTER) && call.arguments().get(2) instanceof UUID before) {
              former.add(before);
              return call.proceedWith(call.arguments().get(0), call.arguments().get(1), null);
            }
            if (call.arguments().size() == 1 && call.arguments().get(0) instanceof Heartbeat beat) {
              for (UUID old : former) {
                call.proceedWith(
                    new Heartbeat(old, 0, 0, beat.patience(), beat.useful(), Duration.ZERO));
              }
            }
            return call.proceed();
          });
    });
  }

  /** The store ends leases earlier than it granted them for. */
  static PlantedBug shortLeases() {
    return PlantedBug.inDatabase(real ->
        Interposed.on(
            real,
            call -> {
              if (call.role() instanceof LeaseStore && call.name().equals("acquire")) {
                LeaseRequest request = (LeaseRequest) call.arguments().get(0);
                return call.proceedWith(
                    new LeaseRequest(request.key(), shorter(request.ttl()), request.once()),
                    call.arguments().get(1),
                    call.arguments().get(2));
              }
              if (call.role() instanceof LeaseStore leases
                  && call.name().equals("renew")
                  && call.arguments().get(0) instanceof List<?> renewals) {
                return leases.renew(
                    renewals.stream()
                        .map(LeaseStore.Renewal.class::cast)
                        .map(PlantedBugs::shorter)
                        .toList());
              }
              return call.proceed();
            }));
  }

  private static LeaseStore.Renewal shorter(LeaseStore.Renewal renewal) {
    return new LeaseStore.Renewal(renewal.claim(), shorter(renewal.ttl()), renewal.mayShorten());
  }

  private static Duration shorter(Duration ttl) {
    return ttl.multipliedBy(3).dividedBy(4);
  }

  /** The tokens of leases start over. */
  static PlantedBug leaseTokensStartOver() {
    return PlantedBug.inDatabase(real ->
        Interposed.on(
            real,
            call -> {
              Object returned = call.proceed();
              return returned instanceof LeaseStore.Result.Granted granted
                  ? new LeaseStore.Result.Granted(1 + granted.token() % 3, granted.attempt())
                  : returned;
            }));
  }

  /** A process treats a busy lease as its own, under the token of the holder. */
  static PlantedBug busyLeasesTreatedAsGranted() {
    return PlantedBug.inNodes(real ->
        Interposed.on(
            real,
            call -> {
              Object returned = call.proceed();
              return returned instanceof LeaseStore.Result.Taken taken
                  ? new LeaseStore.Result.Granted(taken.by().fencingToken(), taken.by().attempt())
                  : returned;
            }));
  }
}
