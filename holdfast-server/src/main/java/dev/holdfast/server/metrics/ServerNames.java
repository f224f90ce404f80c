package dev.holdfast.server.metrics;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.config.MeterFilterReply;
import java.util.Map;
import java.util.Set;

/**
 * Gives the meters of nodes the names that operators of a server expect, and leaves out the gauges
 * of single tenants, which {@link TenantSamples} has for all of them together.
 */
final class ServerNames implements MeterFilter {
  private static final Map<String, String> NAMES =
      Map.of(
          "holdfast.claim.batch", "holdfast.scheduler.claim.batch.size",
          "holdfast.claim.time", "holdfast.scheduler.claim.duration",
          "holdfast.job.wait", "holdfast.task.claim.wait",
          "holdfast.job.run", "holdfast.task.execution.duration",
          "holdfast.jobs.failed", "holdfast.tasks.failed");

  private static final Set<String> LEFT_OUT =
      Set.of("holdfast.queue.depth", "holdfast.queue.oldest.ready");

  @Override
  public Meter.Id map(Meter.Id id) {
    String name = NAMES.get(id.getName());
    return name == null ? id : id.withName(name);
  }

  @Override
  public MeterFilterReply accept(Meter.Id id) {
    return LEFT_OUT.contains(id.getName()) ? MeterFilterReply.DENY : MeterFilterReply.NEUTRAL;
  }
}
