package dev.holdfast.engine.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.holdfast.api.StoreException;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.node.Logged;
import dev.holdfast.engine.notify.ClusterSize;
import dev.holdfast.engine.store.QueueStore;
import dev.holdfast.engine.store.QueueStore.Depth;
import dev.holdfast.engine.store.QueueStore.Sample;
import dev.holdfast.engine.time.Moment;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class SamplerTest {
  private static final Moment NOW = new Moment(0);

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  @RegisterExtension final Logged logged = Logged.by(Sampler.class);
  private final ClusterSize clusterSize = new ClusterSize();
  private Supplier<Optional<Sample>> samples = Optional::empty;
  private final Sampler sampler =
      new Sampler(
          only(QueueStore.class, "sample", () -> samples.get()),
          Set.of("mail", "empty"),
          new Meters(registry, "worker", List.of()),
          clusterSize);

  /** Returns a stub that supports one method only. */
  private static <T> T only(Class<T> type, String question, Supplier<?> result) {
    return type.cast(
        Proxy.newProxyInstance(
            SamplerTest.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              assertThat(method.getName()).isEqualTo(question);
              return result.get();
            }));
  }

  private static Sample sample(Map<String, Depth> depths, Map<String, Long> unknown) {
    return new Sample(depths, unknown, 5, Map.of("mail", 2), 0, true);
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
  void aNodeThatHasJustStartedDoesNotSample() {
    samples =
        () -> {
          throw new AssertionError("asked at once");
        };

    assertThat(sample()).isEqualTo(Duration.ofSeconds(15));
  }

  @Test
  void eachServedQueueHasAMeterForItsDepthAndItsOldestJob() {
    Sample sample =
        sample(
            Map.of(
                "mail", new Depth(3, Duration.ofMillis(2_500)),
                "foreign", new Depth(7, Duration.ofSeconds(9))),
            Map.of());
    samples = () -> Optional.of(sample);
    sample();

    assertThat(sample()).isEqualTo(Duration.ofSeconds(60));

    assertThat(gauge("holdfast.queue.depth", "mail")).isEqualTo(3);
    assertThat(gauge("holdfast.queue.oldest.ready", "mail")).isEqualTo(2.5);
    assertThat(gauge("holdfast.queue.depth", "empty")).isZero();
    assertThat(clusterSize.nodes()).isEqualTo(5);
    assertThat(clusterSize.serving("mail")).isEqualTo(2);
    assertThat(registry.find("holdfast.queue.depth").tag("queue", "foreign").gauges()).isEmpty();
  }

  @Test
  void aQueueMissingFromTheSampleIsEmptyAndAnIdleClusterIsSampledRarely() {
    Sample sample = sample(Map.of("mail", new Depth(3, Duration.ofSeconds(2))), Map.of());
    samples = () -> Optional.of(sample);
    sample();
    sample();

    samples = () -> Optional.of(sample(Map.of(), Map.of()));

    assertThat(sample()).isEqualTo(Duration.ofMinutes(3));
    assertThat(gauge("holdfast.queue.depth", "mail")).isZero();
    assertThat(gauge("holdfast.queue.oldest.ready", "mail")).isZero();
  }

  @Test
  void jobsOfUnknownTasksCauseOneWarning() {
    Sample sample = sample(Map.of(), Map.of("mail::send", 2L, "mail::old", 1L));
    samples = () -> Optional.of(sample);
    sample();

    for (int round = 0; round < 10; round++) {
      sample();
    }

    assertThat(unknownGauge()).isEqualTo(3);
    assertThat(warnings())
        .singleElement()
        .asString()
        .contains("mail::send=2", "mail::old=1", "deploy a node with handlers for them");

    samples = () -> Optional.of(sample(Map.of(), Map.of()));
    sample();
    assertThat(unknownGauge()).isZero();
  }

  @Test
  void whileAnotherNodeSamplesTheMetersStayAndTheSamplerRetriesSoon() {
    Sample sample = sample(Map.of("mail", new Depth(3, Duration.ofSeconds(2))), Map.of());
    samples = () -> Optional.of(sample);
    sample();
    sample();

    samples = Optional::empty;

    assertThat(sample()).isEqualTo(Duration.ofSeconds(5));
    assertThat(gauge("holdfast.queue.depth", "mail")).isEqualTo(3);
  }

  @Test
  void anUnavailableStoreIsSampledAgainLater() {
    samples =
        () -> {
          throw new StoreException(StoreException.Outcome.RETRYABLE, "the store is away", null);
        };
    sample();

    assertThat(sample()).isEqualTo(Duration.ofSeconds(60));
    assertThat(warnings()).singleElement().asString().contains("the store is away");
  }
}
