package dev.holdfast.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.holdfast.api.Holdfast;
import dev.holdfast.engine.store.Store;
import dev.holdfast.testkit.memory.InMemoryStore;
import dev.holdfast.testkit.node.TestNode;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Errors for invalid uses of the extension, and what the extension closes. */
class ExtensionUseTest {

  /** Runs a class of tests and returns what was thrown. */
  private static List<Throwable> failuresOf(Class<?> tests, Map<String, String> settings) {
    List<Throwable> thrown = new ArrayList<>();
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(tests))
                .configurationParameters(settings)
                .build(),
            new TestExecutionListener() {
              @Override
              public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                result.getThrowable().ifPresent(thrown::add);
              }
            });
    return thrown;
  }

  @Test
  void outsideOfATestThereIsNoClient() {
    assertThatThrownBy(() -> HoldfastExtension.inMemory().client())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("No test is running")
        .hasMessageContaining("@RegisterExtension");
  }

  static class BeforeAllTests {
    @RegisterExtension static final HoldfastExtension holdfast = HoldfastExtension.inMemory();

    @BeforeAll
    static void tooEarly(Holdfast client) {}

    @Test
    void neverRuns() {}
  }

  @Test
  void aMethodThatRunsBeforeAllTestsCannotHaveAClient() {
    assertThat(failuresOf(BeforeAllTests.class, Map.of()))
        .singleElement()
        .extracting(Throwable::getMessage)
        .asString()
        .contains("A Holdfast exists for each test")
        .contains("@BeforeEach");
  }

  static class BackgroundTests {
    @RegisterExtension
    static final HoldfastExtension holdfast = HoldfastExtension.inMemory().inBackground();

    @Test
    void cannotHaveThis(TestNode node) {}
  }

  @Test
  void aTestWithANodeInTheBackgroundCannotHaveAnInlineOne() {
    assertThat(failuresOf(BackgroundTests.class, Map.of()))
        .singleElement()
        .extracting(Throwable::getMessage)
        .asString()
        .contains("remove inBackground()");
  }

  @Execution(ExecutionMode.CONCURRENT)
  static class ConcurrentTests {
    static final CyclicBarrier both = new CyclicBarrier(2);
    static final ConcurrentLinkedQueue<String> messages = new ConcurrentLinkedQueue<>();

    @RegisterExtension
    static final HoldfastExtension holdfast =
        HoldfastExtension.inMemory().handle(Welcome.TASK, (welcome, context) -> "Hello");

    @Test
    void one(TestNode node) throws Exception {
      drain(node);
    }

    @Test
    void other(TestNode node) throws Exception {
      drain(node);
    }

    private static void drain(TestNode node) throws Exception {
      both.await(60, TimeUnit.SECONDS);
      try {
        holdfast.drain();
      } catch (IllegalStateException expected) {
        messages.add(expected.getMessage());
      }
      both.await(60, TimeUnit.SECONDS);
      node.client().enqueue(Welcome.TASK, new Welcome("ada"));
      assertThat(node.drain().succeeded()).isEqualTo(1);
    }
  }

  @Test
  void concurrentTestsUseTheirParametersInsteadOfTheField() {
    assertThat(
            failuresOf(
                ConcurrentTests.class,
                Map.of(
                    "junit.jupiter.execution.parallel.enabled", "true",
                    "junit.jupiter.execution.parallel.config.strategy", "fixed",
                    "junit.jupiter.execution.parallel.config.fixed.parallelism", "4")))
        .isEmpty();
    assertThat(ConcurrentTests.messages)
        .hasSize(2)
        .allMatch(message -> message.contains("a parameter of type TestNode"));
  }

  static class OtherStoreTests {
    static final AtomicInteger opened = new AtomicInteger();
    static final List<Store> stores = new ArrayList<>();

    @RegisterExtension
    static final HoldfastExtension holdfast = HoldfastExtension.on(OtherStoreTests::open);

    static Store open() {
      opened.incrementAndGet();
      return new InMemoryStore(InstantSource.system());
    }

    @Test
    void one(Store store) {
      stores.add(store);
    }

    @Test
    void other(Store store) {
      stores.add(store);
    }
  }

  @Test
  void eachTestOpensAStoreOfTheGivenKind() {
    assertThat(failuresOf(OtherStoreTests.class, Map.of())).isEmpty();

    assertThat(OtherStoreTests.opened).hasValue(2);
    assertThat(OtherStoreTests.stores).hasSize(2).doesNotHaveDuplicates();
  }

  static class InvalidNodeTests {
    static final ConcurrentLinkedQueue<String> closed = new ConcurrentLinkedQueue<>();

    @RegisterExtension
    static final HoldfastExtension holdfast =
        HoldfastExtension.on(() -> ClosingStore.notifying(() -> closed.add("closed")))
            .configure(node -> node.route("**", "missing"))
            .inBackground();

    @Test
    void neverRuns() {}
  }

  @Test
  void theStoreOfANodeThatCannotStartIsClosed() {
    assertThat(failuresOf(InvalidNodeTests.class, Map.of()))
        .singleElement()
        .extracting(Throwable::getMessage)
        .asString()
        .contains("Executor 'missing'");

    assertThat(InvalidNodeTests.closed).containsExactly("closed");
  }

  static class ValidNodeTests {
    static final ConcurrentLinkedQueue<String> closed = new ConcurrentLinkedQueue<>();

    @RegisterExtension
    static final HoldfastExtension holdfast =
        HoldfastExtension.on(() -> ClosingStore.notifying(() -> closed.add("closed")));

    @Test
    void runs(Store store) {
      assertThat(closed).isEmpty();
    }
  }

  @Test
  void theStoreOfATestIsClosedAfterIt() {
    assertThat(failuresOf(ValidNodeTests.class, Map.of())).isEmpty();

    assertThat(ValidNodeTests.closed).containsExactly("closed");
  }

  static class LeftRunningTests {
    static final CountDownLatch started = new CountDownLatch(1);
    static final ConcurrentLinkedQueue<String> ends = new ConcurrentLinkedQueue<>();

    @RegisterExtension
    static final HoldfastExtension holdfast =
        HoldfastExtension.inMemory()
            .inBackground()
            .handle(
                Welcome.TASK,
                (welcome, context) -> {
                  started.countDown();
                  try {
                    Thread.sleep(Duration.ofSeconds(20)); // Less than the default shutdown grace.
                    ends.add("by itself");
                  } catch (InterruptedException stopped) {
                    ends.add("by interruption");
                  }
                  return "done";
                });

    @Test
    void doesNotWaitForItsJob(Holdfast client) throws InterruptedException {
      client.enqueue(Welcome.TASK, new Welcome("slow"));
      assertThat(started.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aJobThatATestLeavesRunningIsInterruptedAtOnce() {
    assertThat(failuresOf(LeftRunningTests.class, Map.of())).isEmpty();

    assertThat(LeftRunningTests.ends).containsExactly("by interruption");
  }
}
