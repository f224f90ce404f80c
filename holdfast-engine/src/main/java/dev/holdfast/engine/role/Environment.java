package dev.holdfast.engine.role;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.holdfast.engine.time.Ticker;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Everything a node takes from its environment besides its store: what drives its roles, the time,
 * ids, and random numbers. With these injected, the same node in the same environment behaves the
 * same.
 *
 * @param driver drives its roles
 * @param ticker its clock
 * @param ids creates incarnations and job ids
 * @param random its source of random numbers
 */
public record Environment(
    Driver driver, Ticker ticker, Supplier<UUID> ids, RandomGenerator random) {

  /** Returns the environment of this machine. */
  public static Environment machine() {
    Ticker ticker = Ticker.system();
    return new Environment(
        Driver.threads(ticker),
        ticker,
        UuidCreator::getTimeOrderedEpochPlus1,
        RandomGenerator.getDefault());
  }
}
