package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.held.TaskExecutor;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.store.Claims;
import dev.holdfast.engine.store.Store;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A node that is stopped while its database does not respond. */
class StalledStopTest {
  /** A payload. */
  record Nap(Duration length) {}

  private static final TaskType<Nap, Void> TASK = TaskType.of("test::nap", Nap.class);
  private static final Duration GRACE = Duration.ofSeconds(2);
  private static final Duration SOON = Duration.ofSeconds(30);

  private final TestDatabase database = SharedServer.freshDatabase();
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final AtomicInteger started = new AtomicInteger();
  private final CountDownLatch interrupted = new CountDownLatch(1);
  private final CountDownLatch claimInProgress = new CountDownLatch(1);
  private final CountDownLatch letClaimsGo = new CountDownLatch(1);

  /** Closed for a moment, so that no claim is in progress when the next ones are delayed. */
  private final ReadWriteLock gate = new ReentrantReadWriteLock();

  private boolean holdClaims;
  private StallingProxy proxy;
  private PostgresStore direct;
  private PostgresStore stalling;
  private Holdfast client;

  @BeforeEach
  void open() throws Exception {
    URI address = URI.create(database.jdbcUrl().substring("jdbc:".length()));
    proxy = new StallingProxy(address.getPort());
    direct = connect(database.jdbcUrl());
    client = HoldfastClient.on(direct);
    stalling =
        connect(
            database.jdbcUrl().replace(":" + address.getPort() + "/", ":" + proxy.port() + "/"));
  }

  @AfterEach
  void close() throws Exception {
    letClaimsGo.countDown();
    proxy.close();
    stalling.close();
    client.close();
    direct.close();
  }

  private PostgresStore connect(String url) {
    return PostgresStore.connect(
        PostgresSettings.builder(url).user(database.user()).password(database.password()).build());
  }

  /** Delays a claim before it is sent, so that it is in progress when the node stops. */
  private Store storeWithDelayableClaims() {
    Claims real = stalling.claims();
    Claims held =
        (Claims)
            Proxy.newProxyInstance(
                Claims.class.getClassLoader(),
                new Class<?>[] {Claims.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("claim")) {
                    gate.readLock().lock();
                    try {
                      if (!holdClaims) {
                        return call(method, real, arguments);
                      }
                    } finally {
                      gate.readLock().unlock();
                    }
                    claimInProgress.countDown();
                    letClaimsGo.await();
                  }
                  return call(method, real, arguments);
                });
    return (Store)
        Proxy.newProxyInstance(
            Store.class.getClassLoader(),
            new Class<?>[] {Store.class},
            (proxy, method, arguments) ->
                method.getName().equals("claims") ? held : call(method, stalling, arguments));
  }

  private static Object call(Method method, Object target, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException thrown) {
      throw thrown.getCause();
    }
  }

  /** An executor of the program, which a stopped node could still use. */
  private static final TaskExecutor LASTING =
      new TaskExecutor() {
        @Override
        public String name() {
          return VIRTUAL;
        }

        @Override
        public int capacity() {
          return Integer.MAX_VALUE;
        }

        @Override
        public void execute(Runnable job) {
          Thread.startVirtualThread(job);
        }

        @Override
        public void close() {}
      };

  private HoldfastNode node() {
    return HoldfastNode.on(storeWithDelayableClaims())
        .executor(LASTING)
        .id("stalled")
        .meters(meters)
        .queue("default", 5, 5)
        .poll(Duration.ofMillis(20), Duration.ofMillis(50))
        .liveness(settings -> settings.heartbeat(Duration.ofMillis(200)))
        .shutdownGrace(GRACE)
        .handle(
            TASK,
            (nap, context) -> {
              started.incrementAndGet();
              try {
                Thread.sleep(nap.length());
              } catch (InterruptedException stop) {
                interrupted.countDown();
                throw stop;
              }
              return null;
            })
        .start();
  }

  private void holdUpClaims() {
    gate.writeLock().lock();
    try {
      holdClaims = true;
    } finally {
      gate.writeLock().unlock();
    }
  }

  private double claimed() {
    return meters.find("holdfast.jobs.claimed").counters().stream()
        .mapToDouble(counter -> counter.count())
        .sum();
  }

  @Test
  void aNodeStopsWithinItsGraceTimeAndStartsNothingFromALateClaim() throws Exception {
    HoldfastNode node = node();
    assertThat(node.leases().acquire("report", Duration.ofSeconds(30)).orElseThrow()).isNotNull();
    client.enqueue(TASK, new Nap(Duration.ofHours(1)));
    await().atMost(SOON).until(() -> started.get() == 1 && claimed() == 1);

    holdUpClaims();
    Enqueued<Void> late = client.enqueue(TASK, new Nap(Duration.ZERO));
    claimInProgress.await(); // An idle node claims only from queues with ready jobs.
    proxy.stall();
    long before = System.nanoTime();
    node.close();
    Duration took = Duration.ofNanos(System.nanoTime() - before);

    assertThat(took).isBetween(GRACE, GRACE.plusSeconds(7));
    assertThat(node.awaitStopped(Duration.ZERO)).isTrue();
    assertThat(interrupted.getCount()).as("the handler was interrupted").isZero();

    proxy.resume();
    letClaimsGo.countDown();
    await().atMost(SOON).untilAsserted(() -> assertThat(claimed()).isGreaterThanOrEqualTo(2));
    assertThat(client.find(late.id()).orElseThrow().state()).isNotEqualTo(JobState.SUCCEEDED);
    assertThat(started).as("attempts that ran").hasValue(1);
  }

  @Test
  void anIdleNodeStopsWithinItsGraceTime() {
    HoldfastNode node = node();
    proxy.stall();
    long before = System.nanoTime();

    node.stopNow();

    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(7));
  }
}
