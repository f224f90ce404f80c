package dev.holdfast.bench.chaos;

import java.util.List;
import java.util.stream.Stream;

/**
 * The violations found in a run; none if all counts are zero.
 *
 * @param lost jobs whose enqueue call returned and that did not end
 * @param endedTwice jobs that ended more than once
 * @param failed dead-lettered jobs, of which the script causes none
 * @param outOfOrder effects of a holder after those of its successor, or of two holders with the
 *     same token
 * @param staleAccepted jobs ended by a node that was not their last holder, or before all effects
 *     were completed
 * @param sentences a description of each violation
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
