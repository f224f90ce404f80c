package dev.holdfast.junit;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.run.TaskHandler;
import dev.holdfast.api.run.VoidTaskHandler;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.engine.store.Store;
import dev.holdfast.testkit.node.DrainResult;
import dev.holdfast.testkit.node.TestNode;
import java.time.Duration;
import java.util.Iterator;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives each test its own store, client and node.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final HoldfastExtension holdfast = HoldfastExtension.inMemory().handle(WELCOME, handler);
 *
 * @Test
 * void aNewUserIsWelcomed(Holdfast client) {
 *   new Registration(client).register("ada@example.org");
 *   holdfast.drain().orThrow();
 * }
 * }</pre>
 *
 * <p>Test methods, and methods that run before or after each test, can have parameters of type
 * {@link Holdfast}, {@link TestNode}, {@link HoldfastNode} and {@link Store}, and on PostgreSQL
 * {@link DataSource}, for transactions of the test.
 *
 * <p>By default nothing runs until the test calls {@link #drain}. All jobs then run on the thread
 * of the test; see {@link TestNode} for what differs from a node in production. With {@link
 * #inBackground}, a node runs jobs on its own threads, and the test waits for them.
 */
public final class HoldfastExtension
    implements BeforeEachCallback, AfterEachCallback, ParameterResolver {
  private enum Kind {
    MEMORY,
    POSTGRES,
    OTHER
  }

  private final Kind kind;
  private final Supplier<StoreOfTest> stores;
  private Consumer<NodeBuilder> configuration = builder -> {};
  private boolean background;
  private final Set<RunningTest> running = ConcurrentHashMap.newKeySet();

  private HoldfastExtension(Kind kind, Supplier<StoreOfTest> stores) {
    this.kind = kind;
    this.stores = stores;
  }

  /**
   * Returns an extension whose tests each have a new store in memory. Its clock stands still until
   * {@link #advance}, unless the node runs {@linkplain #inBackground in the background}.
   */
  public static HoldfastExtension inMemory() {
    return new HoldfastExtension(Kind.MEMORY, StoreOfTest::inMemory);
  }

  /**
   * Returns an extension whose tests each have a new database. All tests of the JVM share one
   * embedded server, which starts at first use and is deleted when the JVM ends.
   */
  public static HoldfastExtension onPostgres() {
    return new HoldfastExtension(Kind.POSTGRES, StoreOfTest::onPostgres);
  }

  /**
   * Returns an extension for another store, such as one on a database that the build provides.
   *
   * @param open opens an empty store for each test; it is closed after the test
   */
  public static HoldfastExtension on(Supplier<? extends Store> open) {
    return new HoldfastExtension(Kind.OTHER, () -> StoreOfTest.of(open.get()));
  }

  /** Lets the node run jobs of this task with this handler. Defaults to no tasks. */
  public <P, R> HoldfastExtension handle(
      TaskType<P, R> type, TaskHandler<? super P, ? extends R> handler) {
    return configure(builder -> builder.handle(type, handler));
  }

  /**
   * Lets the node run jobs of this task, which has no result, with this handler. Defaults to no
   * tasks.
   */
  public <P> HoldfastExtension handle(TaskType<P, Void> type, VoidTaskHandler<? super P> handler) {
    return configure(builder -> builder.handle(type, handler));
  }

  /**
   * Configures the node: its queues, schedules, triggers, codec and so on. It can be called several
   * times. Defaults to the defaults of a node.
   */
  public HoldfastExtension configure(Consumer<NodeBuilder> changes) {
    this.configuration = configuration.andThen(changes);
    return this;
  }

  /**
   * Runs jobs as in production, on threads of the node, as soon as they are due. The test waits for
   * them, for example with {@code client.await}. Use it to test timeouts, cancellation and
   * concurrency. Defaults to running jobs only in {@link #drain}.
   */
  public HoldfastExtension inBackground() {
    this.background = true;
    return this;
  }

  /** Returns the client of the current test. */
  public Holdfast client() {
    return current().client();
  }

  /** Returns the node of the current test. */
  public HoldfastNode node() {
    return current().node();
  }

  /**
   * Runs everything that is due, on the calling thread; see {@link TestNode#drain()}.
   *
   * @throws IllegalStateException if the node runs in the background, or no test is running
   */
  public DrainResult drain() {
    return inline("drain()").drain();
  }

  /**
   * Moves the clock forward, so that scheduled jobs, retries and schedules become due; see {@link
   * TestNode#advance}.
   *
   * @throws IllegalStateException if the node runs in the background, or no test is running
   * @throws UnsupportedOperationException if the store is not in memory
   */
  public void advance(Duration time) {
    inline("advance()").advance(time);
  }

  private TestNode inline(String what) {
    return current()
        .inline()
        .orElseThrow(() ->
            new IllegalStateException(
                "%s cannot be used with a node in the background: remove inBackground(), or wait for jobs with client().await(...)."
                    .formatted(what)));
  }

  private RunningTest current() {
    Iterator<RunningTest> tests = running.iterator();
    if (!tests.hasNext()) {
      throw new IllegalStateException(
          "No test is running: use this extension in a test method, or in a method that runs before"
              + " or after each test, and register it with @RegisterExtension.");
    }
    RunningTest only = tests.next();
    if (tests.hasNext()) {
      throw new IllegalStateException(
          "Several tests with this extension run at the same time: give each test method a"
              + " parameter of type TestNode and use that instead.");
    }
    return only;
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    RunningTest test = start();
    running.add(test);
    store(context).put(RunningTest.class, test);
  }

  private RunningTest start() {
    return kind == Kind.MEMORY && !background
        ? RunningTest.inMemory(configuration)
        : RunningTest.on(stores.get(), background, configuration);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    RunningTest test = store(context).remove(RunningTest.class, RunningTest.class);
    if (test != null) { // Null if it could not be started.
      running.remove(test);
      test.close();
    }
  }

  private ExtensionContext.Store store(ExtensionContext context) {
    return context.getStore(Namespace.create(HoldfastExtension.class, this));
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == Holdfast.class
        || type == TestNode.class
        || type == HoldfastNode.class
        || type == Store.class
        || (type == DataSource.class && kind == Kind.POSTGRES);
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    RunningTest test = store(context).get(RunningTest.class, RunningTest.class);
    Class<?> type = parameter.getParameter().getType();
    if (test == null) {
      throw new ParameterResolutionException(
          "A %s exists for each test: use such a parameter in test methods, @BeforeEach and @AfterEach methods only."
              .formatted(type.getSimpleName()));
    }
    return argument(test, type)
        .orElseThrow(() ->
            new ParameterResolutionException(
                "There is no TestNode, because the node runs in the background: remove"
                    + " inBackground(), or use a HoldfastNode parameter."));
  }

  private static Optional<?> argument(RunningTest test, Class<?> type) {
    if (type == TestNode.class) {
      return test.inline();
    }
    if (type == DataSource.class) {
      return test.dataSource();
    }
    return Optional.of(
        type == Holdfast.class
            ? test.client()
            : type == HoldfastNode.class ? test.node() : test.store());
  }
}
