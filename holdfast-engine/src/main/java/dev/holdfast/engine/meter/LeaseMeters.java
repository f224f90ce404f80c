package dev.holdfast.engine.meter;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;

/**
 * The meters of leases. Each timer counts what its name says and times the call that led to it; in
 * Prometheus they read {@code holdfast_leases_acquired_seconds_count} and so on. Keys are no tags:
 * there is no end to them.
 */
public final class LeaseMeters {
  private final Timer acquired;
  private final Timer steal;
  private final Timer busy;
  private final Timer renewed;
  private final Timer renewFailed;
  private final Timer completed;
  private final Timer failed;
  private final Timer held;
  private final Counter lost;

  public LeaseMeters(MeterRegistry registry) {
    acquired = timer(registry, "holdfast.leases.acquired", "Leases taken, steals included");
    steal = timer(registry, "holdfast.leases.steal", "Leases taken over from lost holders");
    busy = timer(registry, "holdfast.leases.busy", "Wishes for leases that others had");
    renewed = timer(registry, "holdfast.leases.renewed", "Renewals that succeeded");
    renewFailed =
        timer(
            registry,
            "holdfast.leases.renew.failed",
            "Renewals that were refused or could not be asked for");
    completed = timer(registry, "holdfast.leases.completed", "Leases let go as done");
    failed = timer(registry, "holdfast.leases.failed", "Leases let go as failed");
    held = timer(registry, "holdfast.lease.held", "From acquired to let go or lost");
    lost =
        Counter.builder("holdfast.leases.lost")
            .description("Leases whose holder was told that it may no longer rely on them")
            .register(registry);
  }

  private static Timer timer(MeterRegistry registry, String name, String description) {
    return Timer.builder(name).description(description).register(registry);
  }

  public void acquired(Duration took, boolean isSteal) {
    acquired.record(took);
    if (isSteal) {
      steal.record(took);
    }
  }

  public void busy(Duration took) {
    busy.record(took);
  }

  public void renewed(Duration took) {
    renewed.record(took);
  }

  public void renewFailed(Duration took) {
    renewFailed.record(took);
  }

  public void completed(Duration took) {
    completed.record(took);
  }

  public void failed(Duration took) {
    failed.record(took);
  }

  public void lost() {
    lost.increment();
  }

  public void held(Duration time) {
    held.record(time);
  }
}
