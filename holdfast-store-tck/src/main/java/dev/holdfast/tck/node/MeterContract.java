package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.job.JobState;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.notify.ClusterSize;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.upkeep.Sampler;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.core.instrument.distribution.pause.PauseDetector;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What the meters of a node count, time and sample. */
public abstract class MeterContract extends NodeTestBase {

  @Test
  void metersCountWhatANodeDoes() throws Exception {
    HoldfastNode node =
        start(
            node()
                .handle(
                    ECHO,
                    (note, context) -> {
                      if (context.attempt() == 1) {
                        throw new IllegalStateException("once");
                      }
                      return "ok";
                    }));

    node.client().await(node.client().enqueue(ECHO, new Note("x")), SOON);

    await().atMost(SOON).until(() -> meters.get("holdfast.jobs.succeeded").counter().count() == 1);
    assertThat(meters.get("holdfast.jobs.claimed").tag("queue", "default").counter().count())
        .isEqualTo(2);
    assertThat(meters.get("holdfast.jobs.started").counter().count()).isEqualTo(2);
    assertThat(meters.get("holdfast.jobs.retried").counter().count()).isEqualTo(1);
    assertThat(meters.get("holdfast.job.run").timer().count()).isEqualTo(2);
    assertThat(meters.get("holdfast.job.wait").timer().count()).isEqualTo(2);
    assertThat(meters.get("holdfast.claim.time").timer().count()).isPositive();
    assertThat(meters.get("holdfast.claim.batch").summary().totalAmount()).isEqualTo(2);
    assertThat(meters.get("holdfast.jobs.failed").counter().count()).isZero();
    assertThat(meters.get("holdfast.stale.writes.rejected").counter().count()).isZero();
  }

  @Test
  void aPermanentlyFailedJobIsCounted() {
    start(
        node()
            .queue("mail", 1)
            .handle(
                ECHO,
                (note, context) -> {
                  throw new IllegalStateException("always");
                }));

    awaitState(
        client().enqueue(ECHO, new Note("x"), job -> job.queue("mail")).id(), JobState.FAILED);

    await()
        .atMost(SOON)
        .until(
            () -> meters.get("holdfast.jobs.failed").tag("queue", "mail").counter().count() == 1);
    assertThat(meters.get("holdfast.jobs.retried").tag("queue", "mail").counter().count())
        .isEqualTo(2);
  }

  /** Records which timers publish a histogram, as a Prometheus registry would. */
  private static final class HistogramRegistry extends SimpleMeterRegistry {
    final Set<String> histograms = ConcurrentHashMap.newKeySet();

    @Override
    protected Timer newTimer(
        Meter.Id id, DistributionStatisticConfig statistics, PauseDetector pauses) {
      if (statistics.isPublishingHistogram()
          && Boolean.TRUE.equals(statistics.isPercentileHistogram())) {
        histograms.add(id.getName());
      }
      return super.newTimer(id, statistics, pauses);
    }
  }

  @Test
  void timesArePublishedAsHistograms() throws Exception {
    HistogramRegistry registry = new HistogramRegistry();
    HoldfastNode node = start(node().meters(registry).handle(ECHO, (note, context) -> note.text()));

    node.client().await(node.client().enqueue(ECHO, new Note("x")), SOON);

    assertThat(registry.histograms)
        .contains("holdfast.job.wait", "holdfast.job.run", "holdfast.claim.time");
    await().atMost(SOON).until(() -> registry.get("holdfast.job.run").timer().count() == 1);
    assertThat(registry.get("holdfast.job.run").timer().totalTime(TimeUnit.NANOSECONDS))
        .isPositive();
  }

  @Test
  void depthsAndUnknownTasksAreSampled() {
    Sampler sampler =
        new Sampler(
            store().queues(),
            Set.of("mail"),
            new Meters(meters, "sampler", List.of()),
            new ClusterSize());
    Moment start = new Moment(0);
    Moment first = sampler.tick(start);
    for (int i = 0; i < 3; i++) {
      client().enqueue(ECHO, new Note("x"), job -> job.queue("mail"));
    }
    client().enqueue(ECHO, new Note("x"), job -> job.queue("mail").runIn(Duration.ofHours(1)));

    sampler.tick(first);

    assertThat(meters.get("holdfast.queue.depth").tag("queue", "mail").gauge().value())
        .isEqualTo(3);
    assertThat(meters.get("holdfast.queue.oldest.ready").tag("queue", "mail").gauge().value())
        .isBetween(0.0, 60.0);
    assertThat(meters.get("holdfast.jobs.unknown.task").gauge().value()).isEqualTo(3);
  }

  @Test
  void strandedRunsAreSampled() {
    Workflow<Note, Void> workflow =
        Workflow.define(
            "test::stranded", Note.class, flow -> flow.step("echo", ECHO, flow.input()));
    client().runs().start(workflow, new Note("x"));
    Sampler sampler =
        new Sampler(
            store().queues(),
            Set.of("mail"),
            new Meters(meters, "sampler", List.of()),
            new ClusterSize());

    sampler.tick(sampler.tick(new Moment(0)));

    assertThat(meters.get("holdfast.runs.stranded").gauge().value()).isEqualTo(1);
  }

  @Test
  void metersOfJobsAreTaggedWithTheirTask() throws Exception {
    TaskType<Note, String> other = TaskType.of("test::other", Note.class, String.class);
    HoldfastNode node =
        start(
            node()
                .handle(ECHO, (note, context) -> "echo")
                .handle(other, (note, context) -> "other"));

    node.client().await(node.client().enqueue(ECHO, new Note("x")), SOON);
    node.client().await(node.client().enqueue(other, new Note("x")), SOON);
    node.client().await(node.client().enqueue(other, new Note("x")), SOON);

    await()
        .atMost(SOON)
        .untilAsserted(() -> {
          assertThat(
                  meters.get("holdfast.jobs.succeeded").tag("task", "test::echo").counter().count())
              .isEqualTo(1);
          assertThat(
                  meters
                      .get("holdfast.jobs.succeeded")
                      .tag("task", "test::other")
                      .counter()
                      .count())
              .isEqualTo(2);
          assertThat(meters.get("holdfast.job.run").tag("task", "test::other").timer().count())
              .isEqualTo(2);
        });
  }
}
