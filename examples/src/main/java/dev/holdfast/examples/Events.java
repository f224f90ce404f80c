package dev.holdfast.examples;

import static dev.holdfast.api.trigger.Condition.field;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.trigger.Published;
import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.engine.node.HoldfastNode;
import java.time.Duration;

/** Starts a task when an event is published that meets the conditions of a trigger. */
public final class Events {
  record Resource(long id, String kind) {}

  static final TaskType<Resource, Void> REINDEX = TaskType.of("search::reindex", Resource.class);

  static final Trigger REINDEX_PAGES =
      Trigger.named("reindex-pages")
          .on("resource.updated")
          .where(field("kind").is("page"))
          .start(REINDEX)
          .build();

  public static void main(String[] args) throws Exception {
    try (var database = ExampleDatabase.create();
        var node =
            HoldfastNode.on(database.store())
                .handle(REINDEX, (it, context) -> System.out.println("Reindexing " + it.id()))
                .trigger(REINDEX_PAGES)
                .start()) {
      publish(node, new Resource(7, "page"));
      publish(node, new Resource(7, "page")); // The same payload within the window of the trigger.
      publish(node, new Resource(8, "image"));
    }
  }

  private static void publish(HoldfastNode node, Resource resource) throws InterruptedException {
    Published published = node.client().publish("resource.updated", resource);
    for (JobId job : published.started()) {
      node.client().await(job, Void.class, Duration.ofSeconds(30));
    }
    published.outcomes().forEach(it -> System.out.println(resource + ": " + it.decision()));
  }
}
