package dev.holdfast.engine.liveness;

import dev.holdfast.engine.held.CurrentIncarnation;
import dev.holdfast.engine.held.Tenure;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeStore.NodeRegistration;
import dev.holdfast.engine.time.Ticker;
import java.time.Duration;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What an incarnation of this node needs to take office.
 *
 * @param ids makes incarnations
 * @param allowed how long after a beat was sent an incarnation may go on
 * @param unseated whether no incarnation has a place any more, whatever its deadline says
 * @param cards how one introduces itself
 * @param currentModes what the node does at present, which a new incarnation goes on doing
 */
public record IncarnationFactory(
    CurrentIncarnation identity,
    Supplier<UUID> ids,
    Ticker ticker,
    Duration allowed,
    BooleanSupplier unseated,
    Function<UUID, NodeRegistration> cards,
    Supplier<Modes> currentModes) {

  UUID freshIncarnation() {
    return ids.get();
  }

  /** A tenure that counts from now, before anybody is told of it. */
  Tenure tenure(UUID incarnation) {
    return new Tenure(incarnation, ticker, allowed, unseated, ticker.now());
  }

  NodeRegistration card(Tenure tenure) {
    return cards.apply(tenure.incarnation());
  }

  Modes modes() {
    return currentModes.get();
  }
}
