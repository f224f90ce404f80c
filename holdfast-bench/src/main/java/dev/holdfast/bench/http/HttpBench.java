package dev.holdfast.bench.http;

import dev.holdfast.api.JobRequest;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchCommand;
import dev.holdfast.bench.harness.BenchException;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.NoopJobs;
import dev.holdfast.bench.harness.Rounds;
import dev.holdfast.cli.database.Address;
import dev.holdfast.server.boot.HoldfastServer;
import dev.holdfast.server.config.Configuration;
import dev.holdfast.server.tenant.OpenTenant;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures the server as its clients see it. */
@Command(
    name = "http",
    description = {
      "Measure the API of a server: enqueueing, listing and counting, and the start.",
      "Compares POST of one job with the same web framework after one insert, and bulk POST with"
          + " enqueueAll in process; then lists and counts beside 1 million ready jobs, 5 million"
          + " rows of history, 200,000 dead-lettered jobs and 500,000 ended runs, without reading"
          + " history. On a database that you give, it creates schemas holdfast_control and"
          + " holdfast_t1, and refuses to run if there are any."
    })
public final class HttpBench extends BenchCommand {
  static final String TENANT = "/v1/tenants/default";
  static final TaskType<NoopJobs.Payload, Void> FAILING =
      TaskType.of("bench::failing", NoopJobs.Payload.class)
          .with(job -> job.retry(RetryPolicy.NEVER));
  static final Workflow<NoopJobs.Payload, Void> FLOW =
      Workflow.define(
          "bench::flow",
          NoopJobs.Payload.class,
          flow -> flow.step("step", NoopJobs.TASK, flow.input()));
  private static final int CONNECTIONS = 32;
  private static final int BULK = 1_000;
  private static final String JOB =
      "{\"task\":\"bench::noop\",\"payload\":{\"text\":\"%s\"}}".formatted("x".repeat(39));

  /** What is measured. */
  enum Part {
    START,
    POST,
    BULK,
    LIST
  }

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "PART",
      description = "Run only these parts: ${COMPLETION-CANDIDATES}.")
  private Set<Part> only = EnumSet.allOf(Part.class);

  @Override
  public void measure(Bench bench) throws Exception {
    if (bench.server().number("select count(*) from pg_namespace where nspname like 'holdfast\\_%'")
        > 0) {
      bench.report().note("http was not measured: the database has schemas of Holdfast already.");
      return;
    }
    if (only.contains(Part.START)) {
      new StartTimes(bench).measure();
    }
    if (only.equals(EnumSet.of(Part.START))) {
      return;
    }
    try (HoldfastServer server = start(bench, "api")) {
      String key = server.firstKeys().tenant();
      String admin = server.firstKeys().admin();
      if (key == null || admin == null) {
        throw new BenchException("The server has created no key, although it is new.");
      }
      OpenTenant tenant = server.tenants().open("default").orElseThrow();
      // Gives the queue a settings row, so that no warning is logged about jobs without a node.
      tenant.store().queues().resume(NoopJobs.QUEUE);
      if (only.contains(Part.POST)) {
        single(bench, server, tenant, key);
      }
      if (only.contains(Part.BULK)) {
        bulk(bench, server, tenant, key);
      }
      if (only.contains(Part.LIST)) {
        seed(bench, tenant);
        new ListTimes(bench, server, key, admin).measure(tenant.tenant().schema());
      }
    }
  }

  static HoldfastServer start(Bench bench, String mode) {
    Address address = bench.server().address();
    Map<String, String> flags = new HashMap<>();
    flags.put("port", "0");
    flags.put("mode", mode);
    flags.put("database.url", address.url());
    put(flags, "database.user", address.user());
    put(flags, "database.password", address.password());
    return HoldfastServer.start(
        Configuration.read(null, Map.of(), flags).server(),
        List.of(binder ->
            binder
                .workflow(FLOW)
                .handle(NoopJobs.TASK, (payload, context) -> {})
                .handle(
                    FAILING,
                    (payload, context) -> {
                      throw new IllegalStateException("It fails on purpose.");
                    })));
  }

  private static void put(Map<String, String> flags, String name, @Nullable String value) {
    if (value != null) {
      flags.put(name, value);
    }
  }

  private static void single(Bench bench, HoldfastServer server, OpenTenant tenant, String key)
      throws Exception {
    int jobs = bench.jobs(20_000, 2_000);
    String clear = "truncate %s.job".formatted(tenant.tenant().schema());
    String table = "public.bench_http";
    // Like the table of jobs, with the same indexes, so that an insert costs the same.
    bench
        .server()
        .execute(
            """
            create table %1$s (like %2$s.job including all);
            alter table %1$s alter created_at set default now(), alter run_at set default now(),
              alter rank set default now(), alter priority set default 4,
              alter state set default 'READY', alter queue set default 'default',
              alter task set default 'bench::noop'
            """
                .formatted(table, tenant.tenant().schema()));
    byte[] post = HttpConnection.request("POST", TENANT + "/jobs", key, JOB);
    byte[] plainPost = HttpConnection.request("POST", "/jobs", key, JOB);
    try (PlainServer plain = new PlainServer(bench.server(), table)) {
      Rounds<Double> rounds =
          bench
              .<Double>rounds("http")
              .side(
                  "server",
                  () -> {
                    bench.server().execute(clear);
                    bench.server().settle();
                    return rate(server.url(), post, jobs);
                  })
              .side(
                  "plain",
                  () -> {
                    bench.server().execute("truncate " + table);
                    bench.server().settle();
                    return rate(plain.url(), plainPost, jobs);
                  })
              .run();
      bench.report().add(Measure.of("http.post", rounds.median("server", r -> r), "jobs/s"));
      bench.report().add(Measure.of("http.plain", rounds.median("plain", r -> r), "jobs/s"));
      bench
          .report()
          .add(
              Measure.of("http.post_ratio", rounds.ratio("server", "plain", r -> r), Measure.RATIO)
                  .should(Bar.atLeast(0.60)));
    } finally {
      bench.server().execute("drop table " + table);
      bench.server().execute(clear);
    }
  }

  /** Returns how many requests a second are answered, on several connections. */
  private static double rate(URI server, byte[] request, int requests) throws Exception {
    List<HttpConnection> connections = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS)) {
      for (int i = 0; i < CONNECTIONS; i++) {
        connections.add(new HttpConnection(server));
      }
      int each = Math.max(1, requests / CONNECTIONS);
      long started = System.nanoTime();
      List<Future<?>> running = new ArrayList<>();
      for (HttpConnection connection : connections) {
        running.add(
            threads.submit(() -> {
              for (int i = 0; i < each; i++) {
                connection.send(request);
              }
              return null;
            }));
      }
      for (Future<?> one : running) {
        one.get();
      }
      return NoopJobs.rate(each * CONNECTIONS, Duration.ofNanos(System.nanoTime() - started));
    } finally {
      for (HttpConnection connection : connections) {
        connection.close();
      }
    }
  }

  private static void bulk(Bench bench, HoldfastServer server, OpenTenant tenant, String key)
      throws Exception {
    int jobs = bench.jobs(50_000, 5_000);
    String clear = "truncate %s.job".formatted(tenant.tenant().schema());
    byte[] post =
        HttpConnection.request(
            "POST",
            TENANT + "/jobs/bulk",
            key,
            "{\"jobs\":[%s]}".formatted(String.join(",", Collections.nCopies(BULK, JOB))));
    try (HttpConnection connection = new HttpConnection(server.url())) {
      Rounds<Double> rounds =
          bench
              .<Double>rounds("http")
              .side(
                  "bulk",
                  () -> {
                    bench.server().execute(clear);
                    bench.server().settle();
                    long started = System.nanoTime();
                    for (int done = 0; done < jobs; done += BULK) {
                      connection.send(post);
                    }
                    return NoopJobs.rate(jobs, Duration.ofNanos(System.nanoTime() - started));
                  })
              .side(
                  "in process",
                  () -> {
                    bench.server().execute(clear);
                    bench.server().settle();
                    List<JobRequest<NoopJobs.Payload, Void>> requests = NoopJobs.requests(BULK);
                    long started = System.nanoTime();
                    for (int done = 0; done < jobs; done += BULK) {
                      tenant.client().enqueueAll(requests);
                    }
                    return NoopJobs.rate(jobs, Duration.ofNanos(System.nanoTime() - started));
                  })
              .run();
      bench.report().add(Measure.of("http.bulk", rounds.median("bulk", r -> r), "jobs/s"));
      bench
          .report()
          .add(
              Measure.of(
                      "http.bulk_ratio", rounds.ratio("bulk", "in process", r -> r), Measure.RATIO)
                  .should(Bar.atLeast(0.60)));
    }
    bench.server().execute(clear);
  }

  /** Leaves one job of each kind, and an ended run, to be copied. */
  private static void seed(Bench bench, OpenTenant tenant) throws Exception {
    bench.say("http", "running jobs to be copied");
    tenant.client().enqueue(NoopJobs.TASK, NoopJobs.Payload.OF_50_BYTES);
    tenant.client().enqueue(NoopJobs.TASK, NoopJobs.Payload.OF_50_BYTES, job -> job.tags("common"));
    tenant.client().enqueue(FAILING, NoopJobs.Payload.OF_50_BYTES);
    tenant.client().runs().start(FLOW, NoopJobs.Payload.OF_50_BYTES);
    tenant.wake();
    String schema = tenant.tenant().schema();
    try (HoldfastServer worker = start(bench, "worker")) {
      long end = System.nanoTime() + Duration.ofMinutes(1).toNanos();
      while (bench
              .server()
              .number(
                  """
                  select (select count(*) from %1$s.job_history where run_id is null)
                    + (select count(*) from %1$s.dead_letter)
                    + (select count(*) from %1$s.run_history)
                  """
                      .formatted(schema))
          < 4) {
        if (System.nanoTime() - end > 0) {
          throw new BenchException(
              "%s has not run three jobs and a run within a minute.".formatted(worker.url()));
        }
        Thread.sleep(50);
      }
    }
    tenant.client().enqueue(NoopJobs.TASK, NoopJobs.Payload.OF_50_BYTES);
    tenant.client().enqueue(NoopJobs.TASK, NoopJobs.Payload.OF_50_BYTES, job -> job.tags("common"));
  }
}
