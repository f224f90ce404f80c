package dev.holdfast.testkit.workflow;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.Page;
import dev.holdfast.api.internal.Times;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobState;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.testkit.memory.InMemoryStore;
import dev.holdfast.testkit.memory.ManualClock;
import dev.holdfast.testkit.node.TestNode;
import dev.holdfast.testkit.node.TooManyAttemptsException;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs nodes in virtual time: what is due runs immediately, and when nothing is due, the clock
 * advances to the next due time. A node lives for one call, or until it is killed; then another one
 * takes over.
 */
final class VirtualTime {
  /** Longer than tests look back, so that nothing is deleted before a test has read it. */
  private static final Duration KEPT = Duration.ofDays(36_500);

  /** Why a call has ended. */
  enum Stop {
    /** What the caller waits for has happened. */
    DONE,
    /** Nothing is due, and nothing will be unless the test acts. */
    IDLE,
    TOO_MANY_ATTEMPTS,
    TOO_MUCH_TIME,
    /** A handler blocked the thread of the test. */
    BLOCKED
  }

  /** An action outside the nodes at a given time. */
  private record Planned(Instant at, long order, Runnable action) {}

  private final ManualClock clock;
  private final InMemoryStore store;
  private final Consumer<NodeBuilder> configure;
  private final Supplier<Holdfast> client;
  private final Supplier<AttemptScript> script;
  private final Queue<Planned> plan =
      new PriorityQueue<>(Comparator.comparing(Planned::at).thenComparingLong(Planned::order));
  private final Set<String> queues = new LinkedHashSet<>(Set.of("default"));
  private int maxAttempts = 10_000;
  private Duration maxTime = Duration.ofDays(50 * 365);
  private long planned;
  private int nodes;
  private @Nullable TestNode node;

  /**
   * @param configure adds handlers and settings to each node
   * @param client a client of the store
   * @param script reports handlers that blocked
   */
  VirtualTime(
      ManualClock clock,
      InMemoryStore store,
      Consumer<NodeBuilder> configure,
      Supplier<Holdfast> client,
      Supplier<AttemptScript> script) {
    this.clock = clock;
    this.store = store;
    this.configure = configure;
    this.client = client;
    this.script = script;
  }

  void maxAttempts(int most) {
    this.maxAttempts = most;
  }

  void maxTime(Duration longest) {
    this.maxTime = longest;
  }

  String limit(Stop stop) {
    return switch (stop) {
      case TOO_MANY_ATTEMPTS -> maxAttempts + " attempts";
      case TOO_MUCH_TIME -> Times.describe(maxTime) + " of virtual time";
      case BLOCKED ->
          "%s of real time in %s, whose handler blocks the thread of the test"
              .formatted(
                  Times.describe(script.get().limit().longest()),
                  script.get().blocked().map(AttemptScript.Blocked::what).orElse("an attempt"));
      case DONE, IDLE -> "nothing";
    };
  }

  Instant now() {
    return clock.instant();
  }

  /** Does something when the clock shows the given time. */
  void plan(Instant at, Runnable action) {
    plan.add(new Planned(at, planned++, action));
  }

  /** Kills the node that is running. */
  void kill() {
    if (node == null) {
      throw new IllegalStateException("No node is running: crash() is for handlers.");
    }
    node.kill();
  }

  /** Runs what is due now and in future, until it is done or nothing can happen. */
  Stop run(BooleanSupplier done) {
    return inCall(() -> run(done, null));
  }

  /** Lets time pass. If a handler calls it, only the clock moves: the handler takes that long. */
  Stop pass(Duration time) {
    if (node != null) {
      node.advance(time);
      return Stop.DONE;
    }
    Instant until = now().plus(time);
    return inCall(() -> run(() -> false, until));
  }

  /** Executes a query while a node is alive, without running jobs. */
  <T> T ask(Supplier<T> question) {
    if (node != null) {
      return question.get();
    }
    startNode();
    try {
      return question.get();
    } finally {
      stopNode();
    }
  }

  /** Refuses calls of handlers, which run while another call is in progress. */
  void requireNoNode() {
    if (node != null) {
      throw new IllegalStateException(
          "A handler must not run workflows with the tester that runs it: start them with"
              + " context.client().");
    }
  }

  private Stop inCall(Supplier<Stop> call) {
    requireNoNode();
    script.get().startCall();
    try {
      return call.get();
    } finally {
      stopNode();
    }
  }

  private Stop run(BooleanSupplier done, @Nullable Instant until) {
    Instant latest = now().plus(maxTime);
    int left = maxAttempts;
    while (true) {
      actAsPlanned();
      left = runDue(left);
      if (isBlocked()) {
        return Stop.BLOCKED;
      }
      if (left < 0) {
        return Stop.TOO_MANY_ATTEMPTS;
      }
      if (done.getAsBoolean()) {
        return Stop.DONE;
      }
      Optional<Instant> next = next();
      if (until != null && next.filter(time -> !time.isAfter(until)).isEmpty()) {
        clock.advance(Duration.between(now(), until));
        return Stop.DONE;
      }
      if (next.isEmpty()) {
        return Stop.IDLE;
      }
      if (next.get().isAfter(latest)) {
        return Stop.TOO_MUCH_TIME;
      }
      clock.advance(Duration.between(now(), next.get()));
    }
  }

  private Optional<Instant> next() {
    Optional<Instant> due = store.nextDue();
    Planned first = plan.peek();
    return first == null || due.filter(time -> time.isBefore(first.at())).isPresent()
        ? due
        : Optional.of(first.at());
  }

  private void actAsPlanned() {
    while (!plan.isEmpty() && !plan.peek().at().isAfter(now())) {
      plan.remove().action().run();
    }
  }

  /** Runs what is due now. Returns how many attempts are left; less than none if too many ran. */
  private int runDue(int most) {
    int left = most;
    boolean again = true;
    while (again) {
      TestNode current = node == null ? startNode() : node;
      try {
        left -= current.drain(left).attempts();
      } catch (TooManyAttemptsException tooMany) {
        return -1;
      }
      again = current.isKilled() ? bury(current) && !isBlocked() : serveMoreQueues();
    }
    return left;
  }

  private boolean isBlocked() {
    return script.get().blocked().isPresent();
  }

  private TestNode startNode() {
    addQueues();
    TestNode started =
        TestNode.inMemory(
            store,
            clock,
            builder -> {
              // A separate registry: the global one would count the nodes of all tests.
              builder
                  .id("test-node-" + ++nodes)
                  .keep(KEPT, KEPT)
                  .meters(new CompositeMeterRegistry());
              queues.forEach(queue -> builder.queue(queue, 1));
              configure.accept(builder);
            });
    node = started;
    started.node().sweepNow();
    return started;
  }

  private void stopNode() {
    if (node != null) {
      node.close();
      node = null;
    }
  }

  /** Declares a killed node dead, so that the next one recovers its jobs at once. */
  private boolean bury(TestNode killed) {
    stopNode();
    client.get().nodes().recover(killed.node().id());
    return true;
  }

  /** Restarts the node if there are jobs in queues that it does not serve. */
  private boolean serveMoreQueues() {
    boolean more = addQueues();
    if (more) {
      stopNode();
    }
    return more;
  }

  private boolean addQueues() {
    boolean more = false;
    for (Job job : client.get().list(JobFilter.all().state(JobState.READY), Page.first(1_000))) {
      more |= queues.add(job.queue());
    }
    return more;
  }
}
