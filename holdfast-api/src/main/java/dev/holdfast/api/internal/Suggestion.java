package dev.holdfast.api.internal;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the known name that a mistyped one probably stands for. */
public final class Suggestion {
  private Suggestion() {}

  /**
   * Returns what to do about an unknown name, as the end of a sentence: {@code did you mean
   * 'pack'?} or, if no known name is similar, the other remedy.
   */
  public static String orElse(String unknown, Collection<String> known, String remedy) {
    return nearest(unknown, known).map("did you mean '%s'?"::formatted).orElse(remedy);
  }

  /** Returns the known name that differs least; empty if none is similar. */
  public static Optional<String> nearest(String unknown, Collection<String> known) {
    int most = Math.min(unknown.length() / 3 + 1, unknown.length() - 1);
    return known.stream()
        .filter(name -> Math.abs(name.length() - unknown.length()) <= most)
        .filter(name -> distance(unknown, name) <= most)
        .min(Comparator.comparingInt(name -> distance(unknown, name)));
  }

  /** The least number of inserted, removed and replaced characters (Levenshtein). */
  private static int distance(String from, String to) {
    int[] above = new int[to.length() + 1];
    for (int j = 0; j < above.length; j++) {
      above[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int[] row = new int[above.length];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        int replaced = above[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(replaced, 1 + Math.min(above[j], row[j - 1]));
      }
      above = row;
    }
    return above[to.length()];
  }
}
