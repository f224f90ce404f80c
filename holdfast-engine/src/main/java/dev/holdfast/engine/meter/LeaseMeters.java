package dev.holdfast.engine.meter;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The meters of leases. Each timer counts what its name says and times the call that led to it; in
 * Prometheus they read {@code holdfast_leases_acquired_seconds_count} and so on. Keys are not used
 * as tags, since their number is unbounded. Like all meters they carry the display name of the node
 * as {@code node}.
 *
 * <p>No method throws, even if the registry does.
 */
public final class LeaseMeters {
  private final Guarded<Timer> acquired;
  private final Guarded<Timer> steal;
  private final Guarded<Timer> busy;
  private final Guarded<Timer> renewed;
  private final Guarded<Timer> renewFailed;
  private final Guarded<Timer> completed;
  private final Guarded<Timer> failed;
  private final Guarded<Timer> held;
  private final Guarded<Timer> reclaimed;
  private final Guarded<Counter> lost;
  private final MeterRegistry registry;
  private final Tags own;

  /**
   * Creates the meters of leases.
   *
   * @param node the display name of the node whose leases these are, if there is a node and it has
   *     one
   */
  public LeaseMeters(MeterRegistry registry, @Nullable String node) {
    this.registry = registry;
    this.own = Meters.tagsOf(node);
    acquired = timer("holdfast.leases.acquired", "Leases acquired, including those taken over");
    steal = timer("holdfast.leases.steal", "Leases taken over from lost holders");
    busy = timer("holdfast.leases.busy", "Requests for leases that another holder had");
    renewed = timer("holdfast.leases.renewed", "Renewals that succeeded");
    renewFailed =
        timer(
            "holdfast.leases.renew.failed",
            "Renewals that were rejected or could not be requested");
    completed = timer("holdfast.leases.completed", "Leases ended as done");
    failed = timer("holdfast.leases.failed", "Leases ended as failed");
    held = timer("holdfast.lease.held", "From acquired to ended or lost");
    reclaimed = timer("holdfast.leases.reclaimed", "Expired leases whose holders did not end them");
    lost =
        new Guarded<>(
            "holdfast.leases.lost",
            () ->
                Counter.builder("holdfast.leases.lost")
                    .description("Leases whose holder was notified of the loss")
                    .tags(own)
                    .register(registry));
  }

  private Guarded<Timer> timer(String name, String description) {
    return new Guarded<>(
        name, () -> Timer.builder(name).description(description).tags(own).register(registry));
  }

  public void acquired(Duration took, boolean isSteal) {
    acquired.use(timer -> timer.record(took));
    if (isSteal) {
      steal.use(timer -> timer.record(took));
    }
  }

  public void busy(Duration took) {
    busy.use(timer -> timer.record(took));
  }

  public void renewed(Duration took) {
    renewed.use(timer -> timer.record(took));
  }

  public void renewFailed(Duration took) {
    renewFailed.use(timer -> timer.record(took));
  }

  public void completed(Duration took) {
    completed.use(timer -> timer.record(took));
  }

  public void failed(Duration took) {
    failed.use(timer -> timer.record(took));
  }

  public void reclaimed(int leases, Duration took) {
    for (int i = 0; i < leases; i++) {
      reclaimed.use(timer -> timer.record(took));
    }
  }

  public void lost() {
    lost.use(Counter::increment);
  }

  public void held(Duration time) {
    held.use(timer -> timer.record(time));
  }
}
