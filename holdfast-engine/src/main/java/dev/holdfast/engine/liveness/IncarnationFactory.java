package dev.holdfast.engine.liveness;

import dev.holdfast.engine.held.CurrentIncarnation;
import dev.holdfast.engine.held.Tenure;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeStore.NodeRegistration;
import dev.holdfast.engine.time.Ticker;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Creates the registrations and tenures of a node's incarnations.
 *
 * @param ids creates incarnations
 * @param allowed how long after a heartbeat was sent an incarnation may act
 * @param unseated whether no incarnation may act any more, whatever its deadline says
 * @param registrations creates the registration of an incarnation
 * @param currentModes the current modes of the node, in which a new incarnation continues
 * @param within the tenure of the process that a new incarnation belongs to
 */
public record IncarnationFactory(
    CurrentIncarnation identity,
    Supplier<UUID> ids,
    Ticker ticker,
    Duration allowed,
    BooleanSupplier unseated,
    Function<UUID, NodeRegistration> registrations,
    Supplier<Modes> currentModes,
    Supplier<Optional<Tenure>> within) {

  /** Creates the incarnations of a node that sends its own heartbeats. */
  public IncarnationFactory(
      CurrentIncarnation identity,
      Supplier<UUID> ids,
      Ticker ticker,
      Duration allowed,
      BooleanSupplier unseated,
      Function<UUID, NodeRegistration> registrations,
      Supplier<Modes> currentModes) {
    this(identity, ids, ticker, allowed, unseated, registrations, currentModes, Optional::empty);
  }

  UUID freshIncarnation() {
    return ids.get();
  }

  /** Returns a tenure that counts from now, before the registration is sent. */
  Tenure tenure(UUID incarnation) {
    return new Tenure(
        incarnation, ticker, allowed, unseated, ticker.now(), within.get().orElse(null));
  }

  NodeRegistration registration(Tenure tenure) {
    return registrations.apply(tenure.incarnation());
  }

  Modes modes() {
    return currentModes.get();
  }
}
