package dev.holdfast.engine.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.meter.RoleSpans;
import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.store.RunAdvance;
import dev.holdfast.engine.store.RunPlanner;
import dev.holdfast.engine.store.StartHere;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** How often the advancer looks for marked runs. Every reading of its clock takes a while. */
class AdvancerTest {
  private static final Duration READING = Duration.ofMillis(1);

  private Moment now = new Moment(0);
  private final AtomicInteger looks = new AtomicInteger();
  private Runnable duringLook = () -> {};
  private RunAdvance.Timers timers = new RunAdvance.Timers(Set.of(), false, Optional.empty(), true);
  private final GraphPlanner planner = new GraphPlanner(UUID::randomUUID);
  private final Advancer advancer =
      new Advancer(
          new LookedAt(),
          () -> new PlanRecorder(planner, new KnownRuns(planner)),
          new SignalBus(ClusterCoordinator.withinProcess()),
          run -> {},
          this::read,
          RoleSpans.NONE,
          () -> {});

  private Moment read() {
    now = now.plus(READING);
    return now;
  }

  private class LookedAt implements RunAdvance {
    @Override
    public List<RunId> marked(int limit) {
      return List.of();
    }

    @Override
    public Report advance(Collection<RunId> runs, RunPlanner planner) {
      return new Report(
          0, Map.of(), Map.of(), Set.of(), Set.of(), Optional.empty(), Set.of(), Map.of());
    }

    @Override
    public List<Seen> look(Collection<JobId> jobs, RunPlanner planner) {
      return List.of();
    }

    @Override
    public Expressed express(UUID incarnation, List<Express> steps, StartHere here) {
      return new Expressed(Set.of(), List.of());
    }

    @Override
    public Timers fireTimers(int limit) {
      looks.incrementAndGet();
      duringLook.run();
      return timers;
    }
  }

  private Duration waitAfterTick() {
    Moment started = read();
    return started.until(advancer.tick(started));
  }

  @Test
  void whileRunsAreOpenTheAdvancerLooksEveryThirtySeconds() {
    assertThat(waitAfterTick()).isGreaterThanOrEqualTo(Advancer.BETWEEN_LOOKS);
    assertThat(looks).hasValue(1);
  }

  @Test
  void withoutOpenRunsTheAdvancerHardlyLooks() {
    timers = new RunAdvance.Timers(Set.of(), false, Optional.empty(), false);

    assertThat(waitAfterTick()).isGreaterThanOrEqualTo(Duration.ofMinutes(2));
  }

  @Test
  void theAdvancerLooksWhenTheNextTimerIsDue() {
    timers = new RunAdvance.Timers(Set.of(), false, Optional.of(Duration.ofSeconds(7)), true);

    assertThat(waitAfterTick()).isBetween(Duration.ofSeconds(7), Duration.ofSeconds(8));
  }

  @Test
  void aRequestDuringALookIsNotForgotten() {
    duringLook = () -> advancer.expectIn(Duration.ZERO);

    assertThat(waitAfterTick()).isLessThan(Duration.ofSeconds(1));
  }
}
