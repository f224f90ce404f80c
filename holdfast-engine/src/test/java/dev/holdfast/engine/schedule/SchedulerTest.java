package dev.holdfast.engine.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.engine.meter.RoleSpans;
import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.notify.ClusterSize;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.run.Jobs;
import dev.holdfast.engine.store.ScheduleStore;
import dev.holdfast.engine.store.ScheduleStore.DueReport;
import dev.holdfast.engine.time.Moment;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class SchedulerTest {
  private static final Moment NOW = new Moment(0);

  private final AtomicInteger looks = new AtomicInteger();

  /** Returns a store in which the next schedule is due after this time. */
  private ScheduleStore dueIn(Duration wait) {
    return schedules(() -> new DueReport(Instant.EPOCH, List.of(), false, Optional.of(wait)));
  }

  private ScheduleStore schedules(Supplier<DueReport> report) {
    return (ScheduleStore)
        Proxy.newProxyInstance(
            SchedulerTest.class.getClassLoader(),
            new Class<?>[] {ScheduleStore.class},
            (proxy, method, arguments) -> {
              looks.incrementAndGet();
              return report.get();
            });
  }

  private Scheduler scheduler(Duration wait, long seed) {
    return new Scheduler(
        dueIn(wait),
        new SignalBus(ClusterCoordinator.withinProcess()),
        "node-1",
        Jobs.environment(() -> NOW, new Random(seed)),
        new ClusterSize(),
        RoleSpans.NONE,
        () -> {});
  }

  @Test
  void theSchedulerSleepsUntilTheNextDueTimeAndAtMostAMinute() {
    Moment soon = scheduler(Duration.ofSeconds(5), 1).tick(NOW);
    Moment bounded = scheduler(Duration.ofDays(5), 1).tick(NOW);

    assertThat(NOW.until(soon)).isBetween(Duration.ofSeconds(5), Duration.ofMillis(5_050));
    assertThat(NOW.until(bounded)).isBetween(Duration.ofSeconds(60), Duration.ofMillis(60_050));
  }

  @Test
  void theSchedulerLooksAgainAfterAnUnexpectedError() {
    AtomicReference<Moment> clock = new AtomicReference<>(NOW);
    IllegalStateException trouble = new IllegalStateException("no");
    Scheduler scheduler =
        new Scheduler(
            schedules(() -> {
              throw trouble;
            }),
            new SignalBus(ClusterCoordinator.withinProcess()),
            "node-1",
            Jobs.environment(clock::get, new Random(1)),
            new ClusterSize(),
            RoleSpans.NONE,
            () -> {});
    assertThatThrownBy(() -> scheduler.tick(NOW)).isSameAs(trouble);

    clock.set(NOW.plus(Duration.ofSeconds(2)));

    assertThatThrownBy(() -> scheduler.tick(clock.get())).isSameAs(trouble);
    assertThat(looks).hasValue(2);
  }

  @Test
  void theSchedulerLooksEarlierOnlyIfAScheduleChanged() {
    Scheduler scheduler = scheduler(Duration.ofSeconds(5), 1);
    Moment next = scheduler.tick(NOW);

    assertThat(scheduler.tick(NOW)).isEqualTo(next);
    assertThat(looks).hasValue(1);
    scheduler.lookAgain();
    scheduler.tick(NOW);
    assertThat(looks).hasValue(2);
  }

  @Test
  void ofSeveralNodesNotAlwaysTheSameLooksFirst() {
    List<Scheduler> nodes =
        List.of(
            scheduler(Duration.ofSeconds(5), 1),
            scheduler(Duration.ofSeconds(5), 2),
            scheduler(Duration.ofSeconds(5), 3));
    Set<Integer> winners = new HashSet<>();
    for (int round = 0; round < 50; round++) {
      int first = 0;
      Moment earliest = Moment.NEVER;
      for (int i = 0; i < nodes.size(); i++) {
        nodes.get(i).lookAgain();
        Moment next = nodes.get(i).tick(NOW);
        if (next.isBefore(earliest)) {
          earliest = next;
          first = i;
        }
      }
      winners.add(first);
    }

    assertThat(winners).containsExactlyInAnyOrder(0, 1, 2);
  }
}
