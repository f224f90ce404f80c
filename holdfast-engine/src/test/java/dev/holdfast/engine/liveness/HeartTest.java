package dev.holdfast.engine.liveness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.StoreException;
import dev.holdfast.engine.codec.JobPolicy;
import dev.holdfast.engine.event.LifecycleEvents;
import dev.holdfast.engine.held.ClaimCalls;
import dev.holdfast.engine.held.CurrentIncarnation;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.held.HeldJobs;
import dev.holdfast.engine.held.LogContext;
import dev.holdfast.engine.held.NodeClaims;
import dev.holdfast.engine.held.Tenure;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.node.Logged;
import dev.holdfast.engine.run.Jobs;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Claims;
import dev.holdfast.engine.store.Claims.ReleasedClaim;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeStore;
import dev.holdfast.engine.store.NodeStore.ClaimRow;
import dev.holdfast.engine.store.NodeStore.Heartbeat;
import dev.holdfast.engine.store.NodeStore.HeartbeatReply;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class HeartTest {
  private static final Moment NOW = new Moment(0);
  private static final Ticker TICKER = () -> NOW;
  private static final Duration INTERVAL = Duration.ofSeconds(10);

  @RegisterExtension final Logged logged = Logged.by(Heart.class);

  private boolean away;
  private final List<Heartbeat> beats = new ArrayList<>();
  private final List<ClaimRow> rows = new ArrayList<>();
  private final List<ReleasedClaim> given = new ArrayList<>();
  private final Tenure tenure =
      new Tenure(new UUID(1, 1), TICKER, Duration.ofMinutes(1), () -> false, NOW);
  private final CurrentIncarnation identity = new CurrentIncarnation("node", tenure);
  private final HeldJobs heldJobs = Jobs.none();
  private final ClaimCalls calls = new ClaimCalls();
  private final NodeStore nodes = nodeStore();
  private final NodeClaims held = new NodeClaims(identity, calls, heldJobs);
  private final LostClaimReturner lostClaims =
      new LostClaimReturner(claims(), nodes, held, Duration.ofMinutes(5), () -> {});

  private NodeStore nodeStore() {
    return fake(
        NodeStore.class,
        (proxy, method, arguments) -> {
          beats.add((Heartbeat) arguments[0]);
          if (away) {
            throw new StoreException(StoreException.Outcome.RETRYABLE, "connection refused", null);
          }
          return Optional.of(
              new HeartbeatReply(List.copyOf(rows), Map.of(), Map.of(), Modes.FULL, false));
        });
  }

  @SuppressWarnings("unchecked")
  private Claims claims() {
    return fake(
        Claims.class,
        (proxy, method, arguments) -> {
          given.addAll((List<ReleasedClaim>) arguments[1]);
          return Set.of();
        });
  }

  private static <T> T fake(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private Heart heart(Duration kept) {
    Meters meters = new Meters(new SimpleMeterRegistry(), null, List.of());
    LifecycleEvents events =
        new LifecycleEvents(new LogContext("node", null), List.of(), 1, meters, TICKER);
    IncarnationFactory incarnations =
        new IncarnationFactory(
            identity,
            () -> new UUID(1, 2),
            TICKER,
            Duration.ofMinutes(1),
            () -> false,
            incarnation -> {
              throw new AssertionError("Nothing is registered here");
            },
            () -> Modes.FULL);
    return new Heart(
        nodes,
        incarnations,
        new Fence(identity, heldJobs, meters, events, TICKER, Duration.ofSeconds(1)),
        new ClaimReconciler(held, lostClaims),
        HeartbeatInterval.of(INTERVAL, Duration.ofSeconds(60), 4, kept),
        () -> NodeStore.Lost.NONE,
        new Heart.Listener() {
          @Override
          public Consumer<HeartbeatReply> beforeHeartbeat() {
            return reply -> {};
          }

          @Override
          public void startedOver() {}
        });
  }

  private HeldJob hold(int number) {
    HeldJob heldJob = new HeldJob(Jobs.of("task", number), number, JobPolicy.NONE, tenure);
    heldJobs.add(heldJob);
    rows.add(new ClaimRow(heldJob.claim(), number, true, false, false));
    return heldJob;
  }

  @Test
  void aNodeWithClaimedJobsSendsHeartbeatsMoreOften() {
    Heart heart = heart(Duration.ZERO);

    assertThat(heart.tick(NOW)).isEqualTo(NOW.plus(INTERVAL.multipliedBy(2)));
    hold(1);
    assertThat(heart.tick(NOW)).isEqualTo(NOW.plus(INTERVAL));
    hold(2);
    hold(3);
    assertThat(heart.tick(NOW)).isEqualTo(NOW.plus(INTERVAL.dividedBy(2)));

    assertThat(beats).extracting(Heartbeat::running).containsExactly(0, 1, 3);
  }

  @Test
  void aFailedHeartbeatIsLoggedWithItsNumberAndWhenItIsRepeated() {
    Heart heart = heart(Duration.ZERO);
    away = true;
    heart.tick(NOW);
    heart.tick(NOW);
    away = false;
    heart.tick(NOW);
    away = true;
    heart.tick(NOW);

    assertThat(logged.messages())
        .containsExactly(
            "Heartbeat failed (attempt 1), retrying in 2.666 s: connection refused",
            "Heartbeat failed (attempt 2), retrying in 2.666 s: connection refused",
            "Heartbeat failed (attempt 1), retrying in 2.666 s: connection refused");
  }

  @Test
  void heartbeatsAreStoredOnlyOnRequest() {
    heart(Duration.ZERO).tick(NOW);
    heart(Duration.ofDays(2)).tick(NOW);

    assertThat(beats)
        .extracting(Heartbeat::kept)
        .containsExactly(Duration.ZERO, Duration.ofDays(2));
  }

  @Test
  void aJobThatWillNotBeReportedIsGivenBackAtTheNextHeartbeat() {
    Heart heart = heart(Duration.ZERO);
    HeldJob kept = hold(1);
    HeldJob unreported = hold(2);
    assertThat(unreported.withdraw()).isTrue();
    unreported.markUnreported();

    heart.tick(NOW);
    lostClaims.tick(NOW);

    assertThat(given).containsExactly(new ReleasedClaim(unreported.claim(), false));
    assertThat(heldJobs.all()).containsExactly(kept);
  }

  @Test
  void aJobThatWillNotBeReportedIsForgottenOnceItIsNoLongerClaimed() {
    HeldJob unreported = hold(1);
    assertThat(unreported.withdraw()).isTrue();
    unreported.markUnreported();
    rows.clear();

    heart(Duration.ZERO).tick(NOW);

    assertThat(heldJobs.all()).isEmpty();
    assertThat(given).isEmpty();
  }

  @Test
  void anUnknownJobOfACompletedClaimCallIsGivenBack() {
    rows.add(new ClaimRow(new ClaimId(Jobs.of("task", 9).id(), 9), 0, true, false, false));

    heart(Duration.ZERO).tick(NOW);
    lostClaims.tick(NOW);

    assertThat(given).extracting(ReleasedClaim::ran).containsExactly(false);
  }
}
