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
 * @param wrongRuns runs that did not succeed, succeeded twice, or have too few or too many jobs
 * @param earlySteps steps of runs that had effects before a step that they depend on had its last
 * @param wrongBookings steps whose transaction was not committed exactly once
 * @param sentences a description of each violation
 */
public record Findings(
    int lost,
    int endedTwice,
    int failed,
    int outOfOrder,
    int staleAccepted,
    int wrongRuns,
    int earlySteps,
    int wrongBookings,
    List<String> sentences) {

  public static final Findings NONE = ofJobs(0, 0, 0, 0, 0, List.of());

  /** Returns what was found about jobs. */
  static Findings ofJobs(
      int lost,
      int endedTwice,
      int failed,
      int outOfOrder,
      int staleAccepted,
      List<String> sentences) {
    return new Findings(lost, endedTwice, failed, outOfOrder, staleAccepted, 0, 0, 0, sentences);
  }

  /** Returns what was found about runs. */
  static Findings ofRuns(int wrongRuns, int earlySteps, int wrongBookings, List<String> sentences) {
    return new Findings(0, 0, 0, 0, 0, wrongRuns, earlySteps, wrongBookings, sentences);
  }

  public boolean none() {
    return count() == 0;
  }

  public int count() {
    return lost
        + endedTwice
        + failed
        + outOfOrder
        + staleAccepted
        + wrongRuns
        + earlySteps
        + wrongBookings;
  }

  public Findings plus(Findings other) {
    return new Findings(
        lost + other.lost,
        endedTwice + other.endedTwice,
        failed + other.failed,
        outOfOrder + other.outOfOrder,
        staleAccepted + other.staleAccepted,
        wrongRuns + other.wrongRuns,
        earlySteps + other.earlySteps,
        wrongBookings + other.wrongBookings,
        Stream.concat(sentences.stream(), other.sentences.stream()).toList());
  }
}
