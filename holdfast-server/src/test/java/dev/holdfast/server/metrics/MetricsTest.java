package dev.holdfast.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.TestServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The metrics of a server that has worked have the promised names and plausible values. */
class MetricsTest {
  private static final String T = "/v1/tenants/default";

  /** One scrape. */
  private record Scrape(List<String> lines) {
    static Scrape of(ApiClient client) {
      return new Scrape(client.get("/metrics").expect(200).response().body().lines().toList());
    }

    /** The sum of all time series with a name whose labels contain a text. */
    OptionalDouble value(String name, String labels) {
      double[] values =
          lines.stream()
              .filter(line -> line.startsWith(name + "{") || line.startsWith(name + " "))
              .filter(line -> line.contains(labels))
              .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
              .toArray();
      return values.length == 0 ? OptionalDouble.empty() : OptionalDouble.of(sum(values));
    }

    double of(String name) {
      return of(name, "");
    }

    double of(String name, String labels) {
      OptionalDouble value = value(name, labels);
      assertThat(value).as("%s with %s", name, labels).isPresent();
      return value.getAsDouble();
    }

    private static double sum(double[] values) {
      double sum = 0;
      for (double value : values) {
        sum += value;
      }
      return sum;
    }
  }

  @Test
  void aServerThatWorkedHasAllMetrics() throws Exception {
    try (TestServer server = new TestServer(Map.of("queues", "default=2", "concurrency", "2"))) {
      ApiClient tenant = server.tenant();
      for (int i = 0; i < 3; i++) {
        tenant.post(T + "/jobs", "{\"task\":\"test::echo\"}").expect(201);
      }
      tenant.post(T + "/jobs", "{\"task\":\"test::fail\"}").expect(201);
      tenant.post(T + "/runs", "{\"workflow\":\"test::approval\"}").expect(201);
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() -> {
            Scrape done = Scrape.of(tenant);
            assertThat(done.value("holdfast_tasks_failed_total", "task=\"test::fail\""))
                .hasValue(1);
            assertThat(done.value("holdfast_task_execution_duration_seconds_count", "test::echo"))
                .hasValue(3);
          });
      for (int i = 0; i < 5; i++) {
        tenant.post(T + "/jobs", "{\"task\":\"test::block\"}").expect(201);
      }
      server.tasks().started.acquire(2);
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() ->
              assertThat(Scrape.of(tenant).value("holdfast_task_queue_depth", "default"))
                  .hasValue(3));

      Scrape scrape = Scrape.of(tenant);
      assertThat(scrape.of("holdfast_workers_active")).isEqualTo(2);
      assertThat(scrape.of("holdfast_workers_total_capacity")).isEqualTo(2);
      assertThat(scrape.of("holdfast_db_connections_active", "pool=\"control\"")).isBetween(0., 8.);
      assertThat(scrape.of("holdfast_db_connections_idle")).isPositive();
      assertThat(scrape.of("holdfast_db_connections_max", "pool=\"tenants\"")).isEqualTo(4);
      assertThat(scrape.of("holdfast_scheduler_claim_batch_size_count")).isGreaterThanOrEqualTo(3);
      assertThat(scrape.of("holdfast_scheduler_claim_batch_size_sum")).isGreaterThanOrEqualTo(6);
      assertThat(scrape.of("holdfast_scheduler_claim_duration_seconds_sum")).isPositive();
      assertThat(scrape.of("holdfast_task_claim_wait_seconds_count")).isGreaterThanOrEqualTo(6);
      assertThat(scrape.of("holdfast_task_execution_duration_seconds_sum")).isPositive();
      assertThat(scrape.of("holdfast_runs_active")).isEqualTo(1);
      assertThat(scrape.of("holdfast_runs_pending")).isZero();
      assertThat(scrape.of("holdfast_recovery_orphaned_tasks")).isZero();
      assertThat(scrape.of("holdfast_heartbeat_margin_seconds")).isBetween(0.001, 120.);
      assertThat(scrape.of("holdfast_tenant_runs_active", "tenant=\"default\"")).isEqualTo(1);
      assertThat(scrape.of("holdfast_tenant_tasks_executed_total", "tenant=\"default\""))
          .isEqualTo(4);
      assertThat(scrape.of("jvm_memory_used_bytes")).isPositive();
      assertThat(scrape.of("jvm_threads_live_threads")).isPositive();
      assertThat(scrape.of("holdfast_http_requests_seconds_count", "status=\"201\"")).isEqualTo(10);
    }
  }

  @Test
  void tenantsBeyondTheFirstHundredShareALabel() {
    TenantLabels labels = new TenantLabels();
    List<String> given =
        IntStream.range(0, TenantLabels.MOST + 20).mapToObj(i -> labels.of("t" + i)).toList();
    assertThat(given.stream().distinct()).hasSize(TenantLabels.MOST + 1);
    assertThat(given.getLast()).isEqualTo(TenantLabels.OTHER);
    assertThat(labels.of("t5")).isEqualTo("t5");
    assertThat(labels.of("t110")).isEqualTo(TenantLabels.OTHER);
  }
}
