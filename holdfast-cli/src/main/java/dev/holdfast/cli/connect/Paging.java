package dev.holdfast.cli.connect;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that select a page of a list. */
public final class Paging {

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "The maximum number of lines, 1 to 500. Defaults to 20.")
  private int limit = 20;

  @Option(
      names = "--cursor",
      paramLabel = "TEXT",
      description = "Where to continue: as printed below the previous page.")
  private @Nullable String cursor;

  /** Adds the page to a query. */
  public Query to(Query query) {
    return query.add("limit", limit).add("cursor", cursor);
  }
}
