package dev.holdfast.cli.print;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/** A table of JSON objects, one in each line. */
public final class Listing {
  private static final int WIDEST = 64;

  private final String what;
  private final List<Column> columns = new ArrayList<>();

  private record Column(String header, boolean number, Function<JsonNode, String> cell) {}

  private Listing(String what) {
    this.what = what;
  }

  /**
   * Creates a listing without columns.
   *
   * @param what what the objects are, such as "jobs"
   */
  public static Listing of(String what) {
    return new Listing(what);
  }

  /** Adds a column with a field of that name. */
  public Listing column(String field) {
    return column(field, object -> Value.text(object, field));
  }

  /** Adds a column. */
  public Listing column(String header, Function<JsonNode, String> cell) {
    columns.add(new Column(header, false, cell));
    return this;
  }

  /** Adds a column that is aligned to the right. */
  public Listing number(String header, Function<JsonNode, String> cell) {
    columns.add(new Column(header, true, cell));
    return this;
  }

  /** Adds a column with a number of that name. */
  public Listing number(String field) {
    return number(field, object -> Value.text(object, field));
  }

  /** Adds a column with a time. */
  public Listing time(String header, String field) {
    return column(header, object -> Value.time(object, field));
  }

  /** Prints the objects, or that there are none. Cells that are long are shortened. */
  public void print(Iterable<JsonNode> objects, PrintWriter out) {
    Table table =
        Table.of(columns.stream().map(Column::header).toArray(String[]::new))
            .numbers(
                columns.stream().filter(Column::number).map(Column::header).toArray(String[]::new));
    boolean empty = true;
    for (JsonNode object : objects) {
      empty = false;
      table.row(
          columns.stream()
              .map(column -> Printable.shortened(column.cell().apply(object), WIDEST))
              .toArray());
    }
    if (empty) {
      out.println("There are no %s.".formatted(what));
      out.flush();
      return;
    }
    table.print(out);
  }
}
