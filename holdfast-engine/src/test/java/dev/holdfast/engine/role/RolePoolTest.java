package dev.holdfast.engine.role;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RolePoolTest {
  private final RolePool pool = new RolePool(Ticker.system());
  private final List<Driver.Driven<?>> open = new ArrayList<>();
  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
  private final AtomicInteger ticks = new AtomicInteger();

  private Driver.Driven<?> start(Function<Moment, Moment> tick) {
    Driver.Driven<?> driven = driven(tick);
    driven.start();
    return driven;
  }

  private Driver.Driven<?> driven(Function<Moment, Moment> tick) {
    Role role =
        new Role() {
          @Override
          public String name() {
            return "test";
          }

          @Override
          public Moment tick(Moment now) {
            threads.add(Thread.currentThread());
            ticks.incrementAndGet();
            return tick.apply(now);
          }
        };
    Driver.Driven<?> driven = pool.drive(role, () -> {});
    open.add(driven);
    return driven;
  }

  private static Moment never(Moment now) {
    return Moment.NEVER;
  }

  @AfterEach
  void stopAll() {
    open.forEach(Driver.Driven::stop);
  }

  private void awaitTicks(int count) {
    await().until(() -> ticks.get() >= count);
  }

  @Test
  void thousandsOfRolesShareAFewThreads() {
    List<Driver.Driven<?>> roles =
        IntStream.range(0, 5_000)
            .<Driver.Driven<?>>mapToObj(n -> start(RolePoolTest::never))
            .toList();
    awaitTicks(5_000);

    roles.forEach(Driver.Driven::wake);
    awaitTicks(10_000);

    assertThat(threads).hasSizeLessThanOrEqualTo(RolePool.MOST_THREADS);
  }

  @Test
  void aRoleThatBlocksDoesNotDelayOtherTicks() {
    CountDownLatch release = new CountDownLatch(1);
    start(now -> {
      awaitUninterruptibly(release);
      return Moment.NEVER;
    });
    awaitTicks(1);
    start(RolePoolTest::never);

    awaitTicks(2);
    release.countDown();
  }

  @Test
  void aRoleIsTickedAtTheTimeItRequested() {
    start(now -> now.plus(Duration.ofMillis(5)));

    awaitTicks(20);
  }

  @Test
  void aWakeDuringATickLeadsToAnother() {
    Semaphore proceed = new Semaphore(0);
    Driver.Driven<?> role =
        start(now -> {
          proceed.acquireUninterruptibly();
          return Moment.NEVER;
        });
    awaitTicks(1);
    role.wake();
    proceed.release();

    awaitTicks(2);
    proceed.release(10);
  }

  @Test
  void aWakeBringsATickForwardAndReplacesIt() {
    Driver.Driven<?> role = start(now -> now.plus(Duration.ofHours(1)));
    awaitTicks(1);

    for (int i = 2; i < 100; i++) {
      role.wake();
      awaitTicks(i);
    }
  }

  @Test
  void noRoleIsTickedByTwoThreadsAtOnce() {
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Driver.Driven<?> role =
        start(now -> {
          most.accumulateAndGet(inside.incrementAndGet(), Math::max);
          inside.decrementAndGet();
          return now.plus(Duration.ofNanos(1_000));
        });
    IntStream.range(0, RolePool.MOST_THREADS).forEach(n -> start(RolePoolTest::never));

    IntStream.range(0, 20_000).parallel().forEach(n -> role.wake());
    awaitTicks(1_000);

    assertThat(most).hasValue(1);
  }

  @Test
  void aRoleThatThrowsIsTickedAgain() {
    Driver.Driven<?> role =
        start(now -> {
          throw new AssertionError("broken");
        });
    awaitTicks(1);

    role.wake();

    awaitTicks(2);
  }

  @Test
  void aStoppedRoleEndsAfterTheTickInProgressAndNoneFollows() {
    CountDownLatch release = new CountDownLatch(1);
    Driver.Driven<?> role =
        start(now -> {
          awaitUninterruptibly(release);
          return now;
        });
    awaitTicks(1);

    role.stop();
    assertThat(role.hasEnded()).isFalse();
    release.countDown();
    await().until(role::hasEnded);
    role.wake();

    assertThat(ticks).hasValue(1);
  }

  @Test
  void theThreadsEndWithTheLastRole() {
    Driver.Driven<?> one = start(RolePoolTest::never);
    Driver.Driven<?> other = start(RolePoolTest::never);
    awaitTicks(2);

    one.stop();
    other.stop();

    await().until(() -> threads.stream().noneMatch(Thread::isAlive));
    start(RolePoolTest::never);
    awaitTicks(3);
  }

  @Test
  void aRoleThatNeverStartedCanBeStopped() {
    Driver.Driven<?> role = driven(RolePoolTest::never);

    role.stop();
    role.start();
    role.wake();

    assertThat(ticks).hasValue(0);
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException impossible) {
      throw new AssertionError(impossible);
    }
  }
}
