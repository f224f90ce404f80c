package dev.holdfast.cli.print;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A text table whose columns are as wide as their widest cell. */
public final class Table {
  private final List<String> header;
  private final Set<String> numbers;
  private final List<List<String>> rows = new ArrayList<>();

  private Table(List<String> header, Set<String> numbers) {
    this.header = header;
    this.numbers = numbers;
  }

  public static Table of(String... header) {
    return new Table(List.of(header), Set.of());
  }

  /** Returns the same table with the given columns aligned to the right. */
  public Table numbers(String... columns) {
    return new Table(header, Set.of(columns));
  }

  public void row(Object... cells) {
    List<String> row = new ArrayList<>();
    for (Object cell : cells) {
      row.add(cell.toString());
    }
    if (row.size() != header.size()) {
      throw new IllegalArgumentException(
          "The row %s does not have the columns %s.".formatted(row, header));
    }
    rows.add(row);
  }

  public void print(PrintWriter out) {
    int[] widths = new int[header.size()];
    widen(widths, header);
    rows.forEach(row -> widen(widths, row));
    out.println(line(header, widths));
    rows.forEach(row -> out.println(line(row, widths)));
    out.flush();
  }

  private static void widen(int[] widths, List<String> row) {
    for (int i = 0; i < widths.length; i++) {
      widths[i] = Math.max(widths[i], row.get(i).length());
    }
  }

  private String line(List<String> row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String padding = " ".repeat(widths[i] - row.get(i).length());
      line.append(i == 0 ? "" : "  ");
      line.append(numbers.contains(header.get(i)) ? padding + row.get(i) : row.get(i) + padding);
    }
    return line.toString().stripTrailing();
  }
}
