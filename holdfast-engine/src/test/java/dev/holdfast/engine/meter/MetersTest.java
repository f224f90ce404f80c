package dev.holdfast.engine.meter;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.holdfast.engine.node.Logged;
import dev.holdfast.engine.run.Jobs;
import dev.holdfast.engine.store.QueueStore.Depth;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.cumulative.CumulativeCounter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class MetersTest {
  @RegisterExtension private final Logged logged = Logged.by(Guarded.class);

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  private static void show(Meters meters, int ready) {
    meters.depths(Set.of("mail"), Map.of("mail", new Depth(ready, Duration.ofSeconds(2))));
  }

  private double gauge(String name) {
    return registry.get(name).gauge().value();
  }

  @Test
  void gaugesOfANodeThatIsStartedAgainShowWhatItSees() {
    Meters first = new Meters(registry, "worker", List.of());
    show(first, 3);
    first.unknownTaskJobs(3);
    first.close();

    Meters second = new Meters(registry, "worker", List.of());
    show(second, 5);
    second.unknownTaskJobs(5);

    assertThat(gauge("holdfast.queue.depth")).isEqualTo(5);
    assertThat(gauge("holdfast.queue.oldest.ready")).isEqualTo(2);
    assertThat(gauge("holdfast.jobs.unknown.task")).isEqualTo(5);
  }

  @Test
  void gaugesOfSeveralNodesShowAllOfThemTogether() {
    Meters one = new Meters(registry, null, List.of());
    Meters other = new Meters(registry, null, List.of());
    one.unknownTaskJobs(3);
    other.unknownTaskJobs(4);
    one.reports().set(1, Duration.ofSeconds(2));
    other.reports().set(2, Duration.ofSeconds(7));

    assertThat(gauge("holdfast.jobs.unknown.task")).isEqualTo(7);
    assertThat(gauge("holdfast.reports.waiting")).isEqualTo(3);
    assertThat(gauge("holdfast.reports.oldest")).as("the longest of all").isEqualTo(7);
    other.close();
    assertThat(gauge("holdfast.jobs.unknown.task")).isEqualTo(3);
    assertThat(gauge("holdfast.reports.oldest")).isEqualTo(2);
  }

  @Test
  void theNumberOfTaskTagsIsBounded() {
    List<String> tasks = IntStream.range(0, 150).mapToObj("task-%03d"::formatted).toList();
    Meters meters = new Meters(registry, "worker", tasks);

    tasks.forEach(task -> meters.succeeded(Jobs.of(task, 1)));
    meters.succeeded(Jobs.of("of-another-node", 1));

    Set<String> tags =
        registry.find("holdfast.jobs.succeeded").counters().stream()
            .map(counter -> counter.getId().getTag("task"))
            .collect(Collectors.toSet());
    assertThat(tags).hasSize(101).contains("task-000", "task-099", "other");
    assertThat(registry.get("holdfast.jobs.succeeded").tag("task", "other").counter().count())
        .isEqualTo(51);
  }

  /** Counters that throw. */
  private static final class Throwing extends SimpleMeterRegistry {
    @Override
    protected Counter newCounter(Meter.Id id) {
      return new CumulativeCounter(id) {
        @Override
        public void increment(double amount) {
          throw new OutOfMemoryError("No memory to count " + id.getName());
        }
      };
    }
  }

  @Test
  void aMeterThatThrowsIsLoggedOnce() {
    Meters meters = new Meters(new Throwing(), "worker", List.of("task"));

    meters.succeeded(Jobs.of("task", 1));
    meters.succeeded(Jobs.of("task", 2));
    meters.fenced();
    meters.claimCall("default", 3, Duration.ofMillis(1));

    assertThat(logged.events())
        .extracting(ILoggingEvent::getFormattedMessage)
        .hasSize(3)
        .anyMatch(message -> message.startsWith("Meter holdfast.jobs.succeeded failed"))
        .anyMatch(message -> message.startsWith("Meter holdfast.node.fenced failed"))
        .anyMatch(message -> message.startsWith("Meter holdfast.jobs.claimed failed"));
  }

  @Test
  void aRegistryThatRefusesMetersIsDoneWithout() {
    SimpleMeterRegistry refusing = new SimpleMeterRegistry();
    refusing
        .config()
        .meterFilter(
            new MeterFilter() {
              @Override
              public Meter.Id map(Meter.Id id) {
                throw new IllegalArgumentException("No " + id.getName());
              }
            });

    Meters meters = new Meters(refusing, null, List.of());
    LeaseMeters leases = new LeaseMeters(refusing, null);
    meters.started(Jobs.of("task", 1), Duration.ZERO);
    show(meters, 1);
    leases.acquired(Duration.ZERO, true);
    leases.lost();

    assertThat(refusing.getMeters()).isEmpty();
  }
}
