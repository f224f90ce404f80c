package dev.holdfast.examples;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.node.HoldfastNode;
import java.time.Duration;

/** Defines a task, runs a node, enqueues a job and waits for its result. */
public final class HelloJob {
  record Greeting(String name) {}

  static final TaskType<Greeting, String> HELLO =
      TaskType.of("hello::greet", Greeting.class, String.class);

  public static void main(String[] args) throws Exception {
    try (var database = ExampleDatabase.create();
        var node =
            HoldfastNode.on(database.store())
                .handle(HELLO, (greeting, context) -> "Hello " + greeting.name())
                .start();
        Holdfast holdfast = HoldfastClient.on(database.store())) {
      Enqueued<String> job = holdfast.enqueue(HELLO, new Greeting("Ada"));

      System.out.println(holdfast.await(job, Duration.ofSeconds(30)));
    }
  }
}
