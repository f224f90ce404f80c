package dev.holdfast.cli.demo;

import dev.holdfast.api.JobRequest;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.run.TaskContext;
import dev.holdfast.api.run.TaskFailure;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.held.TaskExecutor;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.engine.store.Store;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/** The tasks of the demo: their types, their handlers, and how often each is enqueued. */
final class DemoTasks {
  static final String MAIL = "mail";
  static final String REPORTS = "reports";
  static final String CPU = "cpu";
  static final List<String> QUEUES = List.of(MAIL, REPORTS, CPU);

  static final Duration REMIND_IN = Duration.ofSeconds(2);
  static final int ATTEMPTS = 3;
  private static final int REPORT_SLOTS = 8;

  record Person(String name) {}

  record Report(int pages) {}

  record Numbers(int below) {}

  /** A quick task with a result. */
  private static final TaskType<Person, String> GREET =
      TaskType.of("demo::greet", Person.class, String.class).with(o -> o.queue(MAIL));

  /** A task that sometimes fails and is retried after a second. */
  private static final TaskType<Person, Void> DELIVER =
      TaskType.of("demo::deliver", Person.class)
          .with(o ->
              o.queue(MAIL).retry(RetryPolicy.fixed(Duration.ofSeconds(1)).maxAttempts(ATTEMPTS)));

  /** A task that is due after {@link #REMIND_IN}. */
  private static final TaskType<Person, Void> REMIND =
      TaskType.of("demo::remind", Person.class).with(o -> o.queue(MAIL).runIn(REMIND_IN));

  /** A slow task that waits, as for I/O. */
  private static final TaskType<Report, Void> REPORT =
      TaskType.of("demo::report", Report.class).with(o -> o.queue(REPORTS));

  /** A task that keeps a core busy, so it runs on a platform thread. */
  private static final TaskType<Numbers, Long> PRIMES =
      TaskType.of("demo::primes", Numbers.class, Long.class).with(o -> o.queue(CPU));

  private static final List<String> NAMES = List.of("Ada", "Grace", "Edsger", "Barbara", "Tony");

  private final RandomGenerator random;

  DemoTasks(RandomGenerator random) {
    this.random = random;
  }

  /** Returns the builder of a node that handles these tasks. */
  NodeBuilder node(Store store) {
    return HoldfastNode.on(store)
        .queue(MAIL, 50)
        .queue(REPORTS, REPORT_SLOTS)
        .queue(CPU, Runtime.getRuntime().availableProcessors())
        .route(PRIMES.name(), TaskExecutor.PLATFORM)
        .handle(GREET, (person, context) -> "Hello, %s!".formatted(person.name()))
        .handle(DELIVER, this::deliver)
        .handle(REMIND, (person, context) -> null)
        .handle(REPORT, DemoTasks::report)
        .handle(PRIMES, (numbers, context) -> countPrimes(numbers.below()));
  }

  /** Returns a random job, usually a quick one. */
  JobRequest<?, ?> any() {
    int dice = random.nextInt(100);
    if (dice < 4) {
      return JobRequest.of(REPORT, new Report(5 + random.nextInt(10)));
    }
    if (dice < 14) {
      return JobRequest.of(PRIMES, new Numbers(20_000 + random.nextInt(60_000)));
    }
    Person person = new Person(NAMES.get(random.nextInt(NAMES.size())));
    if (dice < 24) {
      return JobRequest.of(REMIND, person);
    }
    return dice < 44 ? JobRequest.of(DELIVER, person) : JobRequest.of(GREET, person);
  }

  private Void deliver(Person person, TaskContext context) {
    if (random.nextInt(4) == 0) {
      throw new TaskFailure("LINE_BUSY", "The line to %s is busy.".formatted(person.name()));
    }
    return null;
  }

  private static Void report(Report report, TaskContext context) throws InterruptedException {
    Thread.sleep(Duration.ofMillis(100).multipliedBy(report.pages()));
    return null;
  }

  private static long countPrimes(int below) {
    return IntStream.range(2, below)
        .filter(n -> IntStream.rangeClosed(2, (int) Math.sqrt(n)).noneMatch(d -> n % d == 0))
        .count();
  }
}
