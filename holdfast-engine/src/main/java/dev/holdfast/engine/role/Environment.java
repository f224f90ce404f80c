package dev.holdfast.engine.role;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.holdfast.engine.time.Ticker;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Everything a node takes from the world around it besides its store: who calls its roles, what
 * time it is, ids, and chance. With these handed in, the same node in the same surroundings does
 * the same.
 *
 * @param driver drives its roles
 * @param ticker its clock
 * @param ids makes incarnations and ids of jobs
 * @param random its chance
 */
public record Environment(
    Driver driver, Ticker ticker, Supplier<UUID> ids, RandomGenerator random) {

  /** The machine that this runs on. */
  public static Environment machine() {
    Ticker ticker = Ticker.system();
    return new Environment(
        Driver.threads(ticker),
        ticker,
        UuidCreator::getTimeOrderedEpochPlus1,
        RandomGenerator.getDefault());
  }
}
