package dev.holdfast.examples;

import dev.holdfast.api.codec.TypeRef;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.run.TaskContext;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.node.HoldfastNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Reports progress, stores log lines with the job, and enqueues children from a handler. */
public final class Progress {
  record Newsletter(List<String> readers) {}

  static final TaskType<Newsletter, List<JobId>> NEWSLETTER =
      TaskType.of(
          "mail::newsletter", TypeRef.of(Newsletter.class), new TypeRef<List<JobId>>() {});

  static final TaskType<String, Void> SEND = TaskType.of("mail::send", String.class);

  public static void main(String[] args) throws Exception {
    try (var database = ExampleDatabase.create();
        var node =
            HoldfastNode.on(database.store())
                .handle(NEWSLETTER, Progress::send)
                .handle(SEND, (reader, context) -> {})
                .keepJobLog(100)
                .start()) {
      Enqueued<List<JobId>> job =
          node.client().enqueue(NEWSLETTER, new Newsletter(List.of("Ada", "Bob", "Eve")));
      node.client()
          .awaitAsync(job, Duration.ofSeconds(30))
          .thenAccept(children -> show(node, job.id(), children))
          .toCompletableFuture()
          .join();
    }
  }

  private static List<JobId> send(Newsletter newsletter, TaskContext context) {
    List<JobId> children = new ArrayList<>();
    for (String reader : newsletter.readers()) {
      children.add(context.client().enqueue(SEND, reader).id());
      context.progress(children.size(), newsletter.readers().size(), "last reader: " + reader);
    }
    context.log("all readers are in the queue");
    return children;
  }

  private static void show(HoldfastNode node, JobId id, List<JobId> children) {
    Job parent = node.client().find(id).orElseThrow();
    System.out.println("Progress: " + parent.progress());
    System.out.println("Log: " + parent.log());
    for (JobId child : children) {
      Job found = node.client().find(child).orElseThrow();
      System.out.println("A child of the newsletter: " + id.equals(found.parent()));
    }
  }
}
