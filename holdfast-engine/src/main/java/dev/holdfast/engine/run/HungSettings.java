package dev.holdfast.engine.run;

import dev.holdfast.api.internal.Times;
import java.time.Duration;

/**
 * What a node does about attempts whose handler does not respond to interruption.
 *
 * @param patience how long after its interrupt an attempt counts as hung; defaults to 10 s
 * @param holdJobs whether the job of a hung attempt stays with this node until its thread ends, so
 *     that no second attempt can run at the same time; defaults to false: its retry policy applies
 * @param replacedSlots how many slots that hung attempts occupy are replaced; defaults to 0
 * @param mostLost the share of slots, from 0 to 1, that may be lost to hung attempts before the
 *     node reports that it is not ready; defaults to 0.5
 */
public record HungSettings(
    Duration patience, boolean holdJobs, int replacedSlots, double mostLost) {
  public static final HungSettings DEFAULT =
      new HungSettings(Duration.ofSeconds(10), false, 0, 0.5);

  public HungSettings {
    patience = Times.notNegative("A patience with interrupted handlers", patience);
    if (replacedSlots < 0) {
      throw new IllegalArgumentException(
          "Replacing %d lost slots is not valid: use 0 to replace none, or more."
              .formatted(replacedSlots));
    }
    if (!(mostLost >= 0 && mostLost <= 1)) {
      throw new IllegalArgumentException(
          "A share of %s lost slots is not valid: use 0 to 1, where 1 means that lost slots never make the node unready."
              .formatted(mostLost));
    }
  }
}
