package dev.holdfast.bench.chaos;

import java.util.List;
import java.util.stream.Stream;

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

  static final Findings NONE = new Findings(0, 0, 0, 0, 0, List.of());

  boolean none() {
    return count() == 0;
  }

  int count() {
    return lost + endedTwice + failed + outOfOrder + staleAccepted;
  }

  Findings plus(Findings other) {
    return new Findings(
        lost + other.lost,
        endedTwice + other.endedTwice,
        failed + other.failed,
        outOfOrder + other.outOfOrder,
        staleAccepted + other.staleAccepted,
        Stream.concat(sentences.stream(), other.sentences.stream()).toList());
  }
}
