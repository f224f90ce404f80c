package dev.holdfast.engine.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.claim.ClaimCalls;
import dev.holdfast.engine.codec.JobPolicy;
import dev.holdfast.engine.event.LifecycleEvents;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.run.Holding;
import dev.holdfast.engine.run.Holdings;
import dev.holdfast.engine.run.Jobs;
import dev.holdfast.engine.run.LogContext;
import dev.holdfast.engine.store.Claims;
import dev.holdfast.engine.store.Claims.HandBack;
import dev.holdfast.engine.store.Held;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeBook;
import dev.holdfast.engine.store.NodeBook.Beat;
import dev.holdfast.engine.store.NodeBook.BeatReply;
import dev.holdfast.engine.store.NodeBook.ClaimRow;
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
import org.junit.jupiter.api.Test;

class HeartTest {
  private static final Moment NOW = new Moment(0);
  private static final Ticker TICKER = () -> NOW;
  private static final Duration INTERVAL = Duration.ofSeconds(10);

  private final List<Beat> beats = new ArrayList<>();
  private final List<ClaimRow> rows = new ArrayList<>();
  private final List<HandBack> given = new ArrayList<>();
  private final Tenure tenure =
      new Tenure(new UUID(1, 1), TICKER, Duration.ofMinutes(1), () -> false, NOW);
  private final Identity identity = new Identity("node", tenure);
  private final Holdings holdings = Jobs.none();
  private final ClaimCalls calls = new ClaimCalls();
  private final NodeBook nodes = book();
  private final Strays strays =
      new Strays(
          new Strays.Parts(claims(), nodes, identity, calls, holdings, Duration.ofMinutes(5)));

  private NodeBook book() {
    return fake(
        NodeBook.class,
        (proxy, method, arguments) -> {
          beats.add((Beat) arguments[0]);
          return Optional.of(
              new BeatReply(List.copyOf(rows), Map.of(), Map.of(), Modes.FULL, false));
        });
  }

  @SuppressWarnings("unchecked")
  private Claims claims() {
    return fake(
        Claims.class,
        (proxy, method, arguments) -> {
          given.addAll((List<HandBack>) arguments[1]);
          return Set.of();
        });
  }

  private static <T> T fake(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private Heart heart(boolean kept) {
    Meters meters = new Meters(new SimpleMeterRegistry(), null, List.of());
    LifecycleEvents events =
        new LifecycleEvents(new LogContext("node", null), List.of(), 1, meters, TICKER);
    Office office =
        new Office(
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
        new Heart.Parts(
            nodes,
            strays,
            office,
            new Fence(identity, holdings, meters, events, TICKER, Duration.ofSeconds(1)),
            calls,
            holdings,
            BeatPace.of(INTERVAL, Duration.ofSeconds(60), 4, kept),
            () -> NodeBook.Lost.NONE,
            () -> reply -> {},
            () -> {}));
  }

  private Holding hold(int number) {
    Holding holding = new Holding(Jobs.of("task", number), number, JobPolicy.NONE, tenure);
    holdings.add(holding);
    rows.add(new ClaimRow(holding.held(), number, true, false, false));
    return holding;
  }

  @Test
  void theMoreANodeHoldsTheMoreOftenItBeats() {
    Heart heart = heart(false);

    assertThat(heart.tick(NOW)).isEqualTo(NOW.plus(INTERVAL.multipliedBy(2)));
    hold(1);
    assertThat(heart.tick(NOW)).isEqualTo(NOW.plus(INTERVAL));
    hold(2);
    hold(3);
    assertThat(heart.tick(NOW)).isEqualTo(NOW.plus(INTERVAL.dividedBy(2)));

    assertThat(beats).extracting(Beat::running).containsExactly(0, 1, 3);
  }

  @Test
  void heartbeatsAreKeptOnlyIfThatIsRequested() {
    heart(false).tick(NOW);
    heart(true).tick(NOW);

    assertThat(beats).extracting(Beat::kept).containsExactly(false, true);
  }

  @Test
  void aJobThatNothingHereWillReportOnGoesBackAtTheNextHeartbeat() {
    Heart heart = heart(false);
    Holding kept = hold(1);
    Holding unreported = hold(2);
    assertThat(unreported.withdraw()).isTrue();
    unreported.markUnreported();

    heart.tick(NOW);
    strays.tick(NOW);

    assertThat(given).containsExactly(new HandBack(unreported.held(), false));
    assertThat(holdings.all()).containsExactly(kept);
  }

  @Test
  void aJobThatNothingHereWillReportOnIsForgottenOnceItIsNoLongerHeld() {
    Holding unreported = hold(1);
    assertThat(unreported.withdraw()).isTrue();
    unreported.markUnreported();
    rows.clear();

    heart(false).tick(NOW);

    assertThat(holdings.all()).isEmpty();
    assertThat(given).isEmpty();
  }

  @Test
  void aJobOfACallThatIsOverAndIsNotKnownHereGoesBack() {
    rows.add(new ClaimRow(new Held(Jobs.of("task", 9).id(), 9), 0, true, false, false));

    heart(false).tick(NOW);
    strays.tick(NOW);

    assertThat(given).extracting(HandBack::ran).containsExactly(false);
  }
}
