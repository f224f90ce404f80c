package dev.holdfast.cli.graph;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Draws dependencies as lanes, one row per step, as {@code git log --graph} draws commits.
 *
 * <pre>
 * ●      charge
 * ├─●    pack        after charge
 * ● │    label       after charge
 * ●─╯    ship        after label and pack
 * </pre>
 *
 * <p>A step opens a lane below it, which ends at the last step that depends on it. Where a
 * horizontal line meets a lane that it belongs to, both are joined; a lane that it only crosses
 * interrupts it. A step is never right below something that it does not depend on.
 */
final class Lanes {
  /** With more lanes, the drawing is harder to read than a list. */
  private static final int MOST = 16;

  private static final int FREE = -1;

  private final List<List<Integer>> after;
  private final Map<Integer, Integer> open = new HashMap<>();
  private final List<Integer> columns = new ArrayList<>();
  private final Set<Integer> connectedBelow = new HashSet<>();

  private Lanes(List<List<Integer>> after) {
    this.after = after;
    after.forEach(dependencies -> dependencies.forEach(step -> open.merge(step, 1, Integer::sum)));
  }

  /**
   * Draws steps.
   *
   * @param after the positions of the dependencies of each step, all of them before it
   * @param marks the mark of each step, one character wide
   * @return one row for each step; null if there are too many lanes
   */
  static @Nullable List<String> draw(List<List<Integer>> after, List<String> marks) {
    Lanes lanes = new Lanes(after);
    List<String> rows = new ArrayList<>();
    for (int step = 0; step < after.size(); step++) {
      rows.add(lanes.row(step, marks.get(step)));
      if (lanes.columns.size() > MOST) {
        return null;
      }
    }
    return rows;
  }

  private String row(int step, String mark) {
    Set<Integer> joined = new HashSet<>();
    Set<Integer> ending = new HashSet<>();
    for (int dependency : after.get(step)) {
      int column = columns.indexOf(dependency);
      joined.add(column);
      if (open.merge(dependency, -1, Integer::sum) == 0) {
        ending.add(column);
      }
    }
    int own = ending.stream().min(Integer::compare).orElseGet(this::freeColumn);
    int first = joined.stream().reduce(own, Math::min);
    int last = joined.stream().reduce(own, Math::max);
    StringBuilder row = new StringBuilder();
    connectedBelow.clear();
    for (int column = 0; column < columns.size(); column++) {
      boolean inside = column >= first && column <= last;
      String cell;
      if (column == own) {
        cell = mark;
        connectedBelow.add(column);
      } else if (joined.contains(column)) {
        boolean ends = ending.contains(column);
        cell = corner(ends, column == first, column == last);
        if (!ends) {
          connectedBelow.add(column);
        }
      } else if (columns.get(column) != FREE) {
        cell = "│";
        connectedBelow.add(column);
      } else {
        cell = inside ? "─" : " ";
      }
      row.append(cell).append(inside && column < last ? "─" : " ");
    }
    ending.forEach(column -> columns.set(column, FREE));
    columns.set(own, open.getOrDefault(step, 0) > 0 ? step : FREE);
    return row.toString();
  }

  private static String corner(boolean ends, boolean first, boolean last) {
    if (first) {
      return ends ? "╰" : "├";
    }
    if (last) {
      return ends ? "╯" : "┤";
    }
    return ends ? "┴" : "┼";
  }

  private int freeColumn() {
    for (int column = 0; column < columns.size(); column++) {
      if (columns.get(column) == FREE && !connectedBelow.contains(column)) {
        return column;
      }
    }
    columns.add(FREE);
    return columns.size() - 1;
  }
}
