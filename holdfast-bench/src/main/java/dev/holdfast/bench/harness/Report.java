package dev.holdfast.bench.harness;

import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Table;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The measures and notes of the benchmarks, in the order in which they were taken. */
public final class Report {
  private final List<Measure> measures = new ArrayList<>();
  private final List<Table> tables = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  /** Adds a table that shows measures side by side. It is printed only as text. */
  public void table(Table table) {
    tables.add(table);
  }

  public void add(Measure measure) {
    measures.add(measure);
  }

  /** Adds a sentence that explains the measures. */
  public void note(String sentence) {
    notes.add(sentence);
  }

  /** Returns the sentences that explain the measures. */
  public List<String> notes() {
    return List.copyOf(notes);
  }

  /** Prints the measures as a table, then the tables that were added, then the notes. */
  public void print(PrintWriter out) {
    Table table = Table.of("name", "value", "unit", "bar", "ok").numbers("value");
    for (Measure measure : measures) {
      Bar bar = measure.bar();
      table.row(
          measure.name(),
          measure.shown(),
          measure.unit(),
          bar == null ? "" : bar.text(),
          bar == null ? "" : measure.ok() ? "yes" : "NO");
    }
    table.print(out);
    for (Table added : tables) {
      out.println();
      added.print(out);
    }
    notes.forEach(out::println);
    out.flush();
  }

  /**
   * Prints a JSON array of {name, value, unit, bar, ok}, without the notes. The value is null if it
   * was not measured.
   */
  public void printJson(PrintWriter out) {
    List<Map<String, @Nullable Object>> rows = new ArrayList<>();
    for (Measure measure : measures) {
      Bar bar = measure.bar();
      Map<String, @Nullable Object> row = new LinkedHashMap<>();
      row.put("name", measure.name());
      row.put("value", measure.isMeasured() ? Math.round(measure.value() * 1000) / 1000.0 : null);
      row.put("unit", measure.unit());
      row.put("bar", bar == null ? null : bar.text());
      row.put("ok", measure.ok());
      rows.add(row);
    }
    Json.print(rows, out);
  }

  /** Returns a sentence for each measure that misses its bar. */
  public List<String> misses() {
    List<String> misses = new ArrayList<>();
    for (Measure measure : measures) {
      Bar bar = measure.bar();
      if (bar != null && !measure.ok()) {
        misses.add(
            measure.isMeasured()
                ? "%s is %s %s and should be %s."
                    .formatted(measure.name(), measure.shown(), measure.unit(), bar.text())
                : "%s was not measured and should be %s.".formatted(measure.name(), bar.text()));
      }
    }
    return misses;
  }
}
