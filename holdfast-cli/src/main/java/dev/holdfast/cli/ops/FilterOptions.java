package dev.holdfast.cli.ops;

import dev.holdfast.cli.connect.Query;
import dev.holdfast.cli.print.Json;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ObjectNode;

/** The options that select jobs by queue, task, tag and creation time. */
final class FilterOptions {

  @Option(names = "--queue", paramLabel = "NAME", description = "Select the jobs of this queue.")
  private @Nullable String queue;

  @Option(names = "--task", paramLabel = "NAME", description = "Select the jobs of this task.")
  private @Nullable String task;

  @Option(names = "--tag", paramLabel = "WORD", description = "Select the jobs with this tag.")
  private @Nullable String tag;

  @Option(
      names = "--created-after",
      paramLabel = "TIME",
      description = "Select the jobs enqueued at this time or later, such as 2026-07-01T00:00:00Z.")
  private @Nullable Instant createdAfter;

  @Option(
      names = "--created-before",
      paramLabel = "TIME",
      description = "Select the jobs enqueued before this time.")
  private @Nullable Instant createdBefore;

  boolean isEmpty() {
    return body().isEmpty();
  }

  /** Adds the filter to a query. */
  Query to(Query query) {
    return query
        .add("queue", queue)
        .add("task", task)
        .add("tag", tag)
        .add("createdAfter", createdAfter)
        .add("createdBefore", createdBefore);
  }

  /** Returns the filter as the body of a request. */
  ObjectNode body() {
    ObjectNode body = Json.object();
    put(body, "queue", queue);
    put(body, "task", task);
    put(body, "tag", tag);
    put(body, "createdAfter", createdAfter);
    put(body, "createdBefore", createdBefore);
    return body;
  }

  private static void put(ObjectNode body, String field, @Nullable Object value) {
    if (value != null) {
      body.put(field, value.toString());
    }
  }
}
