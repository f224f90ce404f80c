package dev.holdfast.examples;

import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.node.HoldfastNode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Limits how many jobs of a queue run at the same time in the whole cluster. */
public final class Limits {
  record Upload(int number) {}

  static final TaskType<Upload, Void> UPLOAD =
      TaskType.of("files::upload", Upload.class).with(job -> job.queue("uploads"));

  public static void main(String[] args) throws Exception {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    try (var database = ExampleDatabase.create();
        var node =
            HoldfastNode.on(database.store())
                .queue("uploads", 50) // This node alone could run 50 uploads at once.
                .handle(
                    UPLOAD,
                    (upload, context) -> {
                      most.accumulateAndGet(running.incrementAndGet(), Math::max);
                      Thread.sleep(50); // Stands for the upload.
                      running.decrementAndGet();
                    })
                .start()) {
      node.client().queues().limit("uploads", 2); // The file server accepts only 2 at once.

      List<Enqueued<Void>> jobs =
          node.client()
              .enqueueAll(
                  UPLOAD, List.of(new Upload(1), new Upload(2), new Upload(3), new Upload(4)));
      for (Enqueued<Void> job : jobs) {
        node.client().await(job, Duration.ofSeconds(30));
      }
      System.out.println("Uploads: " + jobs.size());
      System.out.println("Never more than 2 at once: " + (most.get() <= 2));
    }
  }
}
