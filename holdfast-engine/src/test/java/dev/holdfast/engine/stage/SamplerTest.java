package dev.holdfast.engine.stage;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.QueueStatus;
import dev.holdfast.engine.Logged;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.store.Lookup;
import dev.holdfast.engine.store.QueueBook;
import dev.holdfast.engine.time.Moment;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class SamplerTest {
  private static final Moment NOW = new Moment(0);

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  @RegisterExtension final Logged logged = Logged.by(Sampler.class);
  private Supplier<List<QueueStatus>> queues = List::of;
  private Map<String, Long> unknown = Map.of();
  private int looksForTasks;
  private final Sampler sampler =
      new Sampler(
          only(QueueBook.class, "list", () -> queues.get()),
          only(Lookup.class, "unknownTasks", this::unknownTasks),
          new Meters(registry, "worker", List.of()));

  /** Something that can answer one question only. */
  private static <T> T only(Class<T> type, String question, Supplier<?> answer) {
    return type.cast(
        Proxy.newProxyInstance(
            SamplerTest.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              assertThat(method.getName()).isEqualTo(question);
              return answer.get();
            }));
  }

  private Map<String, Long> unknownTasks() {
    looksForTasks++;
    return unknown;
  }

  private static QueueStatus queue(String name, long ready, Duration oldest) {
    return new QueueStatus(name, false, null, ready, 7, 8, oldest);
  }

  private Duration sample() {
    return NOW.until(sampler.tick(NOW));
  }

  private double gauge(String name, String queue) {
    return registry.get(name).tags("queue", queue, "node", "worker").gauge().value();
  }

  private double unknownGauge() {
    return registry.get("holdfast.jobs.unknown.task").tag("node", "worker").gauge().value();
  }

  private List<String> warnings() {
    return logged.events().stream()
        .filter(event -> event.getLevel().equals(Level.WARN))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  @Test
  void aNodeThatHasJustStartedHasBetterToDo() {
    queues =
        () -> {
          throw new AssertionError("asked at once");
        };

    assertThat(sample()).isEqualTo(Duration.ofSeconds(15));
  }

  @Test
  void eachQueueHasItsDepthAndTheAgeOfItsOldestJob() {
    queues =
        () -> List.of(queue("mail", 3, Duration.ofMillis(2_500)), queue("empty", 0, Duration.ZERO));
    sample();

    assertThat(sample()).isEqualTo(Duration.ofSeconds(60));

    assertThat(gauge("holdfast.queue.depth", "mail")).isEqualTo(3);
    assertThat(gauge("holdfast.queue.oldest.ready", "mail")).isEqualTo(2.5);
    assertThat(gauge("holdfast.queue.depth", "empty")).isZero();
  }

  @Test
  void aQueueThatIsNamedNoMoreIsEmptyAndAnIdleClusterIsSampledRarely() {
    queues = () -> List.of(queue("mail", 3, Duration.ofSeconds(2)));
    sample();
    sample();

    queues = List::of;

    assertThat(sample()).isEqualTo(Duration.ofMinutes(3));
    assertThat(gauge("holdfast.queue.depth", "mail")).isZero();
    assertThat(gauge("holdfast.queue.oldest.ready", "mail")).isZero();
  }

  @Test
  void jobsOfUnknownTasksAreCountedEveryFifthRoundAndWarnedOfOnce() {
    queues = () -> List.of(queue("mail", 3, Duration.ofSeconds(2)));
    unknown = Map.of("mail::send", 2L, "mail::old", 1L);
    sample();

    for (int round = 0; round < 10; round++) {
      sample();
    }

    assertThat(looksForTasks).isEqualTo(2);
    assertThat(unknownGauge()).isEqualTo(3);
    assertThat(warnings())
        .singleElement()
        .asString()
        .contains("mail::send=2", "mail::old=1", "deploy a node that knows them");
  }

  @Test
  void whereNothingIsReadyNoJobIsUnknown() {
    queues = () -> List.of(queue("mail", 3, Duration.ofSeconds(2)));
    unknown = Map.of("mail::send", 3L);
    sample();
    sample();
    assertThat(unknownGauge()).isEqualTo(3);

    queues = () -> List.of(queue("mail", 0, Duration.ZERO));
    sample();

    assertThat(unknownGauge()).isZero();
  }

  @Test
  void aStoreThatIsAwayIsAskedAgainLater() {
    queues =
        () -> {
          throw new StoreException(StoreException.Outcome.RETRYABLE, "the store is away", null);
        };
    sample();

    assertThat(sample()).isEqualTo(Duration.ofSeconds(60));
    assertThat(warnings()).singleElement().asString().contains("the store is away");
  }
}
