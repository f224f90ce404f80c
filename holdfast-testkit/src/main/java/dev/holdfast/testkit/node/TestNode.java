package dev.holdfast.testkit.node;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.internal.Times;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.LivenessSettings;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.role.Environment;
import dev.holdfast.engine.store.Store;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import dev.holdfast.testkit.memory.InMemoryStore;
import dev.holdfast.testkit.memory.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * A node for tests. It runs jobs only inside {@link #drain}, on the thread of the test, one after
 * the other.
 *
 * <pre>{@code
 * try (TestNode node = TestNode.inMemory(on -> on.handle(WELCOME, handler))) {
 *   node.client().enqueue(WELCOME, new Welcome("ada@example.org"));
 *   node.drain().orThrow();
 *   node.advance(Duration.ofHours(1));
 *   node.drain();
 * }
 * }</pre>
 *
 * <p>It is a real node on a real store: it claims, starts and finishes jobs as every node does,
 * with the codec, retry policies, limits, schedules and triggers it is configured with. Four things
 * differ. Routes and executors are ignored. Delays of retries have no jitter, so that a test knows
 * when a retry is due. Timeouts of jobs apply only to time that the handler itself {@linkplain
 * #advance advances}, because the thread that would watch them runs the handler; on a store with
 * its own clock they are not enforced. The node does not look dead if a debugger stops it for a
 * while.
 *
 * <p>It is safe for use by multiple threads, but only one can drain at a time.
 */
public final class TestNode implements AutoCloseable {
  /** More than most tests need: a job that repeats itself would never end. */
  private static final int MOST_ATTEMPTS = 10_000;

  /** The middle of each range of random numbers, which is no jitter at all. */
  private static final RandomGenerator MIDDLE = () -> Long.MIN_VALUE;

  /** In memory no other node waits for this one. */
  private static final Duration UNLIMITED = Duration.ofDays(36_500);

  private static final Duration LONG = Duration.ofHours(1);

  private final Store store;
  private final boolean ownStore;
  private final @Nullable ManualClock clock;
  private final InlineDriver driver;
  private final ClusterCoordinator signals = ClusterCoordinator.withinProcess();
  private final HoldfastNode node;
  private final ReentrantLock draining = new ReentrantLock();
  private volatile Attempts attempts = new Attempts();

  private TestNode(
      Store store, boolean ownStore, @Nullable ManualClock clock, Consumer<NodeBuilder> configure) {
    this.store = store;
    this.ownStore = ownStore;
    this.clock = clock;
    Ticker ticker = clock == null ? Ticker.system() : following(clock);
    this.driver =
        clock == null ? InlineDriver.inRealTime(ticker) : InlineDriver.inVirtualTime(ticker);
    NodeBuilder builder =
        HoldfastNode.on(
            ObservedStore.observe(
                store,
                (finish, result) -> attempts.ended(finish, result),
                failure -> {
                  if (!driver.runsJob()) { // A handler deals with its own failures.
                    attempts.storeFailed(failure);
                  }
                },
                driver::isKilled));
    configure.accept(builder);
    Duration timeout = clock == null ? LONG : UNLIMITED;
    this.node =
        builder
            .environment(new Environment(driver, ticker, Environment.machine().ids(), MIDDLE))
            .coordinator(signals)
            .executor(driver.executor())
            .routeAll(InlineDriver.EXECUTOR)
            .liveness(LivenessSettings.DEFAULT.with(changes -> changes.timeout(timeout)))
            .shutdownGrace(Duration.ZERO)
            .start();
  }

  /**
   * Starts a node on a new store in memory, whose clock stands still until {@link #advance}.
   *
   * @param configure configures the node: handlers, queues, schedules and so on
   */
  public static TestNode inMemory(Consumer<NodeBuilder> configure) {
    return inMemory(Instant.now(), configure);
  }

  /**
   * Starts a node on a new store in memory, whose clock stands still until {@link #advance}.
   *
   * @param start the time that the clock shows at first, for tests of schedules
   * @param configure configures the node: handlers, queues, schedules and so on
   */
  public static TestNode inMemory(Instant start, Consumer<NodeBuilder> configure) {
    ManualClock clock = new ManualClock(start);
    return new TestNode(new InMemoryStore(clock), true, clock, configure);
  }

  /**
   * Starts a node on a store in memory that exists, for example to continue after {@link #kill}.
   * The store stays open when the node is closed.
   *
   * @param clock the clock of the store
   * @param configure configures the node: handlers, queues, schedules and so on
   */
  public static TestNode inMemory(
      InMemoryStore store, ManualClock clock, Consumer<NodeBuilder> configure) {
    return new TestNode(store, false, clock, configure);
  }

  /**
   * Starts a node on a store, such as one on PostgreSQL. The store stays open when the node is
   * closed.
   *
   * @param configure configures the node: handlers, queues, schedules and so on
   */
  public static TestNode on(Store store, Consumer<NodeBuilder> configure) {
    return new TestNode(store, false, null, configure);
  }

  private static Ticker following(ManualClock clock) {
    Instant start = clock.instant();
    return new Ticker() {
      @Override
      public Moment now() {
        return new Moment(Duration.between(start, clock.instant()).toNanos());
      }

      @Override
      public Instant timeOfDay() {
        return clock.instant();
      }
    };
  }

  /** Returns the client of this node. */
  public Holdfast client() {
    return node.client();
  }

  /** Returns the node itself, for its leases, locks and modes. */
  public HoldfastNode node() {
    return node;
  }

  /** Returns the store, for other clients and nodes. */
  public Store store() {
    return store;
  }

  /**
   * Runs everything that is due, on the calling thread, until nothing is due any more: jobs that
   * are ready, scheduled jobs and retries whose time has come, schedules that fire, and whatever
   * their handlers enqueue. Jobs of a higher priority run first.
   *
   * <p>What is due later stays where it is: {@link #advance} the time first.
   *
   * @return what ran
   * @throws IllegalStateException if a handler calls it
   * @throws TooManyAttemptsException if more than 10,000 attempts are due, for example because a
   *     task keeps enqueueing itself
   * @throws dev.holdfast.api.StoreException if the store fails
   */
  public DrainResult drain() {
    return drain(MOST_ATTEMPTS);
  }

  /**
   * Runs everything that is due, as {@link #drain()} does, with another limit.
   *
   * @param most how many attempts may run
   * @throws IllegalStateException if a handler calls it
   * @throws TooManyAttemptsException if more attempts are due, one of which has run
   * @throws dev.holdfast.api.StoreException if the store fails
   */
  public DrainResult drain(int most) {
    if (draining.isHeldByCurrentThread()) {
      throw new IllegalStateException(
          "A handler that drain() runs must not call drain(): call it from the test.");
    }
    draining.lock();
    Map<String, String> logContext = MDC.getCopyOfContextMap();
    try {
      return runAll(most);
    } finally {
      MDC.clear();
      if (logContext != null) {
        MDC.setContextMap(logContext);
      }
      draining.unlock();
    }
  }

  private DrainResult runAll(int most) {
    if (driver.isKilled()) {
      throw new IllegalStateException(
          "Node %s was killed and runs nothing any more: start another one on its store."
              .formatted(node.id()));
    }
    attempts = new Attempts();
    int ran = 0;
    int before;
    do {
      before = attempts.count();
      // Instead of relying on signals: jobs of other clients and transactions send none here.
      signals.announce(new Signal.SignalsMissed());
      ran += driver.runDue(most + 1 - ran);
      attempts
          .storeFailure()
          .ifPresent(failure -> {
            throw failure;
          });
    } while (attempts.count() > before && ran <= most && !driver.isKilled());
    if (ran > most) {
      throw new TooManyAttemptsException(ran);
    }
    return attempts.summary(store.queries());
  }

  /**
   * Moves the clock of the store and of the node forward, so that scheduled jobs, retries and
   * schedules become due. Nothing runs until {@link #drain}.
   *
   * <p>A schedule that should have fired several times by then is treated as after an outage: its
   * misfire policy applies. To let it fire each time, advance and drain step by step.
   *
   * <p>A handler can call it to take long: an attempt that exceeds its timeout or its heartbeat
   * timeout by this is interrupted and fails, as on every node.
   *
   * @throws UnsupportedOperationException if the node is not in memory
   */
  public void advance(Duration time) {
    if (clock == null) {
      throw new UnsupportedOperationException(
          "The clock of a database cannot be advanced by %s: use a node in memory for this test, or make the job due with client().requeue(id)."
              .formatted(Times.describe(time)));
    }
    clock.advance(time);
    driver.timeHasPassed();
  }

  /** Returns the time that the clock of the node shows, for {@code runAt}. */
  public Instant now() {
    return clock == null ? Instant.now() : clock.instant();
  }

  /**
   * Simulates that the process of the node dies. The node runs and writes nothing any more: jobs
   * that it holds stay claimed until other nodes consider it dead, which a test can speed up with
   * {@code client.nodes().recover(id)} and {@link HoldfastNode#sweepNow}.
   *
   * <p>A handler can call it, or an interceptor: what the running attempt returns is not stored,
   * and whatever it does with its client or its durable steps after this call fails. {@link #drain}
   * then returns when the handler has returned.
   */
  public void kill() {
    driver.kill();
  }

  /** Returns whether the node was {@linkplain #kill killed}. */
  public boolean isKilled() {
    return driver.isKilled();
  }

  /** Stops the node, unless it was killed. Jobs that have not run stay in the store. */
  @Override
  public void close() {
    if (!driver.isKilled()) {
      node.close();
    }
    signals.close();
    if (ownStore) {
      store.close();
    }
  }
}
