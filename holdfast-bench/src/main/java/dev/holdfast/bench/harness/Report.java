package dev.holdfast.bench.harness;

import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Table;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What benches found, in the order they found it. */
public final class Report {
  private final List<Measure> measures = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  public void add(Measure measure) {
    measures.add(measure);
  }

  /** Add a sentence that belongs to the numbers. */
  public void note(String sentence) {
    notes.add(sentence);
  }

  /** The sentences that belong to the numbers. */
  public List<String> notes() {
    return List.copyOf(notes);
  }

  /** A table for people, with the notes below it. */
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
    notes.forEach(out::println);
    out.flush();
  }

  /**
   * An array of {name, value, unit, bar, ok} for programs; a value of null was not measured. Notes
   * are no part of it.
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

  /** A sentence for each bar that was missed. */
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
