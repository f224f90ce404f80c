package dev.holdfast.cli.print;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the known word that is closest to a misspelt one. */
public final class Closest {

  private Closest() {}

  /** Returns the known word that is closest to the given one; empty if none is close. */
  public static Optional<String> to(String word, Collection<String> known) {
    int most = Math.max(1, word.length() / 3);
    return known.stream()
        .filter(candidate -> distance(word, candidate) <= most)
        .min(
            Comparator.<String>comparingInt(candidate -> distance(word, candidate))
                .thenComparingInt(candidate -> Math.abs(candidate.length() - word.length()))
                .thenComparing(Comparator.naturalOrder()));
  }

  /**
   * Returns the edit distance: the number of insertions, deletions, substitutions, and
   * transpositions of adjacent letters.
   */
  private static int distance(String one, String other) {
    int[][] costs = new int[one.length() + 1][other.length() + 1];
    for (int i = 0; i <= one.length(); i++) {
      for (int j = 0; j <= other.length(); j++) {
        costs[i][j] = i == 0 || j == 0 ? i + j : cost(one, other, i, j, costs);
      }
    }
    return costs[one.length()][other.length()];
  }

  private static int cost(String one, String other, int i, int j, int[][] costs) {
    int exchange = one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1;
    int cost =
        Math.min(costs[i - 1][j - 1] + exchange, Math.min(costs[i - 1][j], costs[i][j - 1]) + 1);
    boolean swapped =
        i > 1
            && j > 1
            && one.charAt(i - 1) == other.charAt(j - 2)
            && one.charAt(i - 2) == other.charAt(j - 1);
    return swapped ? Math.min(cost, costs[i - 2][j - 2] + 1) : cost;
  }
}
