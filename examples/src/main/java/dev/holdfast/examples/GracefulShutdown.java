package dev.holdfast.examples;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.run.RetryLater;
import dev.holdfast.api.run.TaskContext;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.node.HoldfastNode;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** Stops a node in the middle of a long job, which continues on the next node. */
public final class GracefulShutdown {
  record Import(int pages) {}

  static final TaskType<Import, Void> IMPORT = TaskType.of("data::import", Import.class);

  private static final CountDownLatch ON_PAGE_3 = new CountDownLatch(1);

  public static void main(String[] args) throws Exception {
    try (var database = ExampleDatabase.create();
        Holdfast holdfast = HoldfastClient.on(database.store())) {
      Enqueued<Void> job = holdfast.enqueue(IMPORT, new Import(5));

      // A service uses stopOnSignals(), which closes the node on SIGTERM.
      var first = HoldfastNode.on(database.store()).handle(IMPORT, GracefulShutdown::run).start();
      ON_PAGE_3.await();
      first.close();

      System.out.println("The first node has stopped");
      try (var second =
          HoldfastNode.on(database.store()).handle(IMPORT, GracefulShutdown::run).start()) {
        holdfast.await(job, Duration.ofSeconds(30));
      }
    }
  }

  private static void run(Import request, TaskContext context) throws InterruptedException {
    CountDownLatch draining = new CountDownLatch(1);
    context.onDrain(draining::countDown);
    int done = context.progress().map(progress -> (int) progress.done()).orElse(0);
    while (done < request.pages()) {
      done++;
      if (done == 3) {
        ON_PAGE_3.countDown();
        draining.await(); // A page that takes until the node is told to stop.
      }
      System.out.println("Imported page " + done);
      context.progress(done, request.pages(), "pages");
      if (context.isDraining()) {
        throw new RetryLater(Duration.ZERO, "continue on another node");
      }
    }
  }
}
