package dev.holdfast.examples;

import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobProgress;
import dev.holdfast.api.run.TaskContext;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.engine.node.HoldfastNode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Enqueues children from a handler, and shows progress and log lines while the job runs. */
public final class Progress {
  static final TaskType<List<String>, Integer> NEWSLETTER =
      TaskType.of("mail::newsletter", new TypeRef<List<String>>() {}, TypeRef.of(Integer.class));

  static final TaskType<String, Void> SEND = TaskType.of("mail::send", String.class);

  private static final CountDownLatch SHOWN = new CountDownLatch(1);

  public static void main(String[] args) throws Exception {
    try (var database = ExampleDatabase.create();
        var node =
            HoldfastNode.on(database.store())
                .handle(NEWSLETTER, Progress::send)
                .handle(SEND, (reader, context) -> {})
                .keepJobLog(100)
                .start()) {
      Enqueued<Integer> job = node.client().enqueue(NEWSLETTER, List.of("Ada", "Bob", "Eve"));
      show(node, job.id());
      SHOWN.countDown();
      System.out.println("Children: " + node.client().await(job, Duration.ofSeconds(30)));
    }
  }

  private static int send(List<String> readers, TaskContext context) throws InterruptedException {
    List<Enqueued<Void>> children = context.client().enqueueAll(SEND, readers);
    Job child = context.client().find(children.get(0).id()).orElseThrow();
    System.out.println("The children know me: " + context.jobId().equals(child.parent()));
    context.log("all readers are in the queue");
    context.progress(children.size(), readers.size(), "readers");
    SHOWN.await(); // More work.
    return children.size();
  }

  private static void show(HoldfastNode node, JobId id) throws InterruptedException {
    JobProgress progress;
    do {
      Thread.sleep(20); // A node stores progress about once a second.
      progress = node.client().find(id).orElseThrow().progress();
    } while (progress == null || progress.done() == 0);
    System.out.printf("%d of %d %s%n", progress.done(), progress.total(), progress.message());
    System.out.println("Logged: " + node.client().find(id).orElseThrow().log().get(0).text());
  }
}
