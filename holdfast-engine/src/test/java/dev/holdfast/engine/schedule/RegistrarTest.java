package dev.holdfast.engine.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.schedule.Recurrence;
import dev.holdfast.api.schedule.Timing;
import dev.holdfast.engine.node.Logged;
import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.store.SchedulePlan;
import dev.holdfast.engine.store.ScheduleStore;
import dev.holdfast.engine.store.ScheduleStore.Declaration;
import dev.holdfast.engine.store.ScheduleStore.Declared;
import dev.holdfast.engine.store.ScheduleStore.Draft;
import dev.holdfast.engine.store.ScheduleStore.Glance;
import dev.holdfast.engine.store.ScheduleStore.Standing;
import dev.holdfast.engine.store.ScheduleStore.Survey;
import dev.holdfast.engine.time.Moment;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class RegistrarTest {
  private static final Moment NOW = new Moment(0);
  private static final Moment LATER = NOW.plus(Duration.ofMinutes(2));

  private final Map<String, StoreException.Outcome> failing = new HashMap<>();
  private final List<String> written = new ArrayList<>();
  @RegisterExtension final Logged logged = Logged.by(Registrar.class);
  private final List<String> queuesChecked = new ArrayList<>();
  private final Map<String, Standing> kept = new HashMap<>();
  private final List<String> asked = new ArrayList<>();

  /** Returns an empty store that fails to write some schedules. */
  private ScheduleStore scheduleStore() {
    return (ScheduleStore)
        Proxy.newProxyInstance(
            RegistrarTest.class.getClassLoader(),
            new Class<?>[] {ScheduleStore.class},
            (proxy, method, arguments) -> {
              asked.add(method.getName());
              return switch (method.getName()) {
                case "declare" -> new Survey(declarations((Map<?, ?>) arguments[2]), kept);
                case "look" -> new Glance(Instant.EPOCH, Optional.empty());
                case "save" -> save((Draft) arguments[0]);
                case "cancelUndeclared" -> List.of();
                default -> throw new AssertionError(method);
              };
            });
  }

  private static List<Declaration> declarations(Map<?, ?> fingerprints) {
    return fingerprints.entrySet().stream()
        .map(entry -> new Declaration((String) entry.getKey(), (String) entry.getValue(), 1))
        .toList();
  }

  private boolean save(Draft draft) {
    String id = draft.plan().id();
    StoreException.Outcome failure = failing.get(id);
    if (failure != null) {
      throw new StoreException(failure, "Schedule '%s' is too much.".formatted(id), null);
    }
    kept.put(id, new Standing(draft.declared(), draft.nextFire() == null));
    return written.add(id);
  }

  private static SchedulePlan plan(String id, String cron) {
    return new SchedulePlan(
        id,
        Recurrence.of(new Timing.Cron(cron, ZoneOffset.UTC)),
        new SchedulePlan.JobTemplate("test::task", "default", 4, "{}", Set.of(), null, null, null));
  }

  private Registrar registrar(SchedulePlan... plans) {
    return new Registrar(
        scheduleStore(),
        new SignalBus(ClusterCoordinator.none()),
        UUID::randomUUID,
        "shop",
        Arrays.asList(plans),
        queue -> {
          assertThat(asked).contains("declare");
          queuesChecked.add(queue);
        },
        () -> {});
  }

  private List<String> logLines(Level level) {
    return logged.events().stream()
        .filter(event -> event.getLevel().equals(level))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  @Test
  void unchangedDeclarationsTakeOneStatementPeriodically() {
    Registrar registrar = registrar(plan("a", "0 3 * * *"), plan("b", "0 3 * * *"));
    registrar.tick(NOW);
    asked.clear();

    Moment next = registrar.tick(LATER);

    assertThat(asked).containsExactly("declare");
    assertThat(LATER.until(next)).isEqualTo(Duration.ofMinutes(2));
  }

  @Test
  void repeatedWakeupsCauseOneLookASecond() {
    Registrar registrar = registrar(plan("a", "0 3 * * *"));
    registrar.tick(NOW);
    asked.clear();

    Moment next = registrar.tick(NOW);

    assertThat(asked).isEmpty();
    assertThat(NOW.until(next)).isEqualTo(Duration.ofSeconds(1));
    registrar.tick(next);
    assertThat(asked).containsExactly("declare");
  }

  @Test
  void undeclaredSchedulesAreLookedForOnlyIfThereAreAny() {
    kept.put("gone", new Standing(new Declared("shop", "f"), false));
    kept.put("foreign", new Standing(new Declared("billing", "f"), false));

    registrar(plan("a", "0 3 * * *")).tick(NOW);

    assertThat(asked).containsOnlyOnce("cancelUndeclared");
  }

  @Test
  void aRejectedScheduleDoesNotPreventOthersFromBeingRegistered() {
    kept.put("gone", new Standing(new Declared("shop", "f"), false));
    failing.put("b", StoreException.Outcome.REFUSED);

    Moment next =
        registrar(plan("a", "0 3 * * *"), plan("b", "0 3 * * *"), plan("c", "0 3 * * *")).tick(NOW);

    assertThat(written).containsExactly("a", "c");
    assertThat(asked).contains("cancelUndeclared");
    assertThat(logLines(Level.ERROR)).singleElement().asString().contains("'b'");
    assertThat(NOW.until(next)).isEqualTo(Duration.ofMinutes(2));
  }

  @Test
  void aScheduleThatMaySucceedNextTimeIsRetriedSoon() {
    failing.put("a", StoreException.Outcome.UNKNOWN);

    Moment next = registrar(plan("a", "0 3 * * *"), plan("b", "0 3 * * *")).tick(NOW);

    assertThat(written).containsExactly("b");
    assertThat(NOW.until(next)).isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  void theirQueuesAreCheckedOnceTheNodeIsRegistered() {
    Registrar registrar = registrar(plan("a", "0 3 * * *"), plan("b", "0 3 * * *"));

    registrar.tick(NOW);
    registrar.tick(LATER);

    assertThat(queuesChecked).containsExactly("default");
  }

  @Test
  void aScheduleThatIsNeverDueCausesOneWarning() {
    Registrar registrar = registrar(plan("a", "0 0 30 2 *"), plan("b", "0 3 * * *"));

    registrar.tick(NOW);
    registrar.tick(LATER);

    assertThat(logLines(Level.WARN))
        .singleElement()
        .asString()
        .contains("'a'", "0 0 30 2 *", "another timing");
  }
}
