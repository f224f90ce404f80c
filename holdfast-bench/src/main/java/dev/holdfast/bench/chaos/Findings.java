package dev.holdfast.bench.chaos;

import java.util.List;

/**
 * What is wrong with a run; nothing, if all numbers are zero.
 *
 * @param lost jobs whose enqueue was answered and that did not end
 * @param endedTwice jobs with more than one end
 * @param failed jobs in the dead letter, where the script puts none
 * @param outOfOrder effects of a holder after those of its successor, or of two holders of one
 *     token
 * @param staleAccepted jobs ended by somebody who was not their last holder, or had not done all
 * @param sentences each of them, for people
 */
record Findings(
    int lost,
    int endedTwice,
    int failed,
    int outOfOrder,
    int staleAccepted,
    List<String> sentences) {

  boolean none() {
    return lost + endedTwice + failed + outOfOrder + staleAccepted == 0;
  }
}
