package dev.holdfast.engine.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.event.LifecycleEvent;
import dev.holdfast.api.event.LifecycleListener;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.time.Moment;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class DispatcherTest {
  private static final Moment NOW = new Moment(1_000);

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final List<LifecycleEvent> received = new ArrayList<>();

  private Dispatcher dispatcher(LifecycleListener... listeners) {
    return new Dispatcher(
        List.of(listeners), 2, new Meters(registry, null, List.of()), () -> NOW, () -> {});
  }

  private static LifecycleEvent event(int number) {
    return new LifecycleEvent.NodeJoined("node-1", new UUID(0, number));
  }

  @Test
  void eventsAreDeliveredInOrder() {
    Dispatcher dispatcher = dispatcher(received::add);
    dispatcher.offer(event(1));
    dispatcher.offer(event(2));

    assertThat(dispatcher.tick(NOW)).isEqualTo(Moment.NEVER);
    assertThat(received).containsExactly(event(1), event(2));
  }

  @Test
  void eventsThatDoNotFitAreDroppedAndCounted() {
    Dispatcher dispatcher = dispatcher(received::add);
    for (int i = 1; i <= 5; i++) {
      dispatcher.offer(event(i));
    }
    dispatcher.tick(NOW);

    assertThat(received).containsExactly(event(1), event(2));
    assertThat(registry.get("holdfast.events.dropped").counter().count()).isEqualTo(3);
    dispatcher.offer(event(6));
    dispatcher.tick(NOW);
    assertThat(received).contains(event(6));
  }

  @Test
  void aListenerThatThrowsAnUndeclaredExceptionDoesNotAffectOthers() {
    Dispatcher dispatcher = dispatcher(event -> throwAnyway(new IOException("no")), received::add);
    dispatcher.offer(event(1));

    dispatcher.tick(NOW);

    assertThat(received).containsExactly(event(1));
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <E extends Exception> void throwAnyway(Exception checked) throws E {
    throw (E) checked;
  }

  @Test
  void aListenerThatThrowsDoesNotAffectOthers() {
    Dispatcher dispatcher =
        dispatcher(
            event -> {
              throw new IllegalStateException("no");
            },
            event -> {
              throw new AssertionError("no");
            },
            received::add);
    dispatcher.offer(event(1));
    dispatcher.offer(event(2));
    dispatcher.tick(NOW);

    assertThat(received).containsExactly(event(1), event(2));
  }
}
