package dev.holdfast.engine.upkeep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.engine.meter.RoleSpans;
import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.notify.ClusterSize;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.run.Jobs;
import dev.holdfast.engine.store.Staging;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StagerTest {
  private final ClusterSize clusterSize = new ClusterSize();
  private Moment now = new Moment(0);
  private final AtomicInteger looks = new AtomicInteger();
  private final AtomicInteger wakes = new AtomicInteger();
  private @Nullable RuntimeException trouble;
  private Staging.Report result = report(Map.of(), false, Optional.empty());
  private final SignalBus bus = new SignalBus(ClusterCoordinator.withinProcess());
  private final Stager stager =
      new Stager(
          limit -> {
            looks.incrementAndGet();
            if (trouble != null) {
              throw trouble;
            }
            return result;
          },
          bus,
          Jobs.environment(() -> now, new Random(1)),
          clusterSize,
          RoleSpans.NONE,
          wakes::incrementAndGet);

  private static Staging.Report report(
      Map<String, Integer> readied, boolean more, Optional<Duration> next) {
    return new Staging.Report(readied, 0, more, next);
  }

  private Moment tickAt(Duration time) {
    now = new Moment(time.toNanos());
    return stager.tick(now);
  }

  @Test
  void theStagerSleepsUntilTheNextJobIsDue() {
    result = report(Map.of(), false, Optional.of(Duration.ofSeconds(7)));

    assertThat(tickAt(Duration.ZERO)).isEqualTo(new Moment(Duration.ofSeconds(7).toNanos()));
  }

  @Test
  void theStagerLooksAgainAtOnceWhileThereAreMoreDueJobs() {
    result = report(Map.of("mail", 1_000), true, Optional.of(Duration.ofSeconds(7)));

    assertThat(tickAt(Duration.ofSeconds(1)))
        .isEqualTo(new Moment(Duration.ofSeconds(1).toNanos()));
  }

  @Test
  void anEarlierDueTimeWakesTheStagerAndALaterOneDoesNot() {
    result = report(Map.of(), false, Optional.of(Duration.ofSeconds(30)));
    tickAt(Duration.ZERO);

    stager.expect(Duration.ofSeconds(40), true);
    assertThat(wakes).hasValue(0);
    stager.expect(Duration.ofSeconds(5), true);
    assertThat(wakes).hasValue(1);

    assertThat(tickAt(Duration.ofSeconds(1)))
        .isEqualTo(new Moment(Duration.ofSeconds(5).toNanos()));
    assertThat(looks).as("woken, but nothing is due yet").hasValue(1);
    tickAt(Duration.ofSeconds(5));
    assertThat(looks).hasValue(2);
  }

  @Test
  void theStagerDoesNotSpinWhileDueJobsAreLocked() {
    result = report(Map.of(), false, Optional.of(Duration.ZERO));

    assertThat(tickAt(Duration.ZERO)).as("it may have become due just now").isEqualTo(now);
    assertThat(tickAt(Duration.ofMillis(1))).isEqualTo(now.plus(Duration.ofMillis(100)));
  }

  @Test
  void theStagerLooksAgainAfterAnUnexpectedError() {
    trouble = new IllegalStateException("no");
    assertThatThrownBy(() -> tickAt(Duration.ZERO)).isSameAs(trouble);

    trouble = null;
    tickAt(Duration.ofSeconds(1));

    assertThat(looks).hasValue(2);
  }

  @Test
  void queuesWithNewReadyJobsAreWoken() {
    List<Signal> received = new ArrayList<>();
    bus.subscribe(received::add);
    result = report(Map.of("mail", 3), false, Optional.empty());

    tickAt(Duration.ZERO);

    assertThat(received).hasSize(1).first().isInstanceOf(Signal.NewWork.class);
  }
}
