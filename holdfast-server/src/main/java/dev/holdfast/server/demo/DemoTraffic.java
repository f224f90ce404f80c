package dev.holdfast.server.demo;

import dev.holdfast.api.Page;
import dev.holdfast.api.schedule.Schedule;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunFilter;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.server.demo.DemoModule.Order;
import dev.holdfast.server.tenant.TenantState;
import dev.holdfast.server.tenant.Tenants;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives tenant {@code default} a trickle of work: some of it fails, some waits for a signal. */
public final class DemoTraffic implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(DemoTraffic.class);
  private static final String TENANT = "default";
  private static final List<String> CUSTOMERS =
      List.of("Ada", "Grace", "Edsger", "Barbara", "Tony");

  /** The maximum number of orders that wait for an approval; the oldest of more is approved. */
  private static final int WAITING = 5;

  private final Tenants tenants;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("holdfast-demo").factory());
  private int number;
  private boolean scheduled;

  public DemoTraffic(Tenants tenants) {
    this.tenants = tenants;
  }

  /** Starts the trickle. */
  public DemoTraffic start(Duration pace) {
    Future<?> unused =
        timer.scheduleWithFixedDelay(this::step, 0, pace.toMillis(), TimeUnit.MILLISECONDS);
    return this;
  }

  private void step() {
    try {
      tenants
          .open(TENANT)
          .filter(tenant -> tenant.tenant().state() == TenantState.ACTIVE)
          .ifPresent(tenant -> number = tenant.change(() -> step(tenant.client())));
    } catch (RuntimeException failure) {
      log.info("The demo could not create work, trying again: {}", failure.getMessage());
    }
  }

  private int step(HoldfastClient client) {
    if (!scheduled) {
      client
          .schedules()
          .put(
              Schedule.named("demo-report")
                  .runs(DemoModule.REPORT, new Order(0, "everybody"))
                  .every(Duration.ofMinutes(1))
                  .build());
      client
          .schedules()
          .put(
              Schedule.named("demo-newsletter")
                  .runs(DemoModule.NEWSLETTER.starter(), new Order(1, "everybody"))
                  .every(Duration.ofMinutes(2))
                  .build());
      scheduled = true;
    }
    int next = number + 1;
    Order order = new Order(next, CUSTOMERS.get(next % CUSTOMERS.size()));
    client.enqueue(DemoModule.DELIVER, order);
    if (next % 2 == 1) {
      client.runs().start(DemoModule.FULFIL, order);
    }
    if (next % 3 == 1) {
      client.runs().start(DemoModule.NEWSLETTER, order);
    }
    List<Run> waiting =
        client
            .runs()
            .list(
                RunFilter.all().workflow(DemoModule.FULFIL.name()).state(RunState.RUNNING),
                Page.first(100));
    if (waiting.size() > WAITING) {
      // Runs are listed from the latest to the oldest.
      client.runs().signal(waiting.getLast().id(), "approved", Map.of("by", "the demo"));
    }
    return next;
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
