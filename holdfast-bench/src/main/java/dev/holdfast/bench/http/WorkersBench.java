package dev.holdfast.bench.http;

import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchCommand;
import dev.holdfast.bench.harness.BenchDatabase;
import dev.holdfast.bench.harness.BenchException;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.NoopJobs;
import dev.holdfast.bench.harness.Rounds;
import dev.holdfast.server.boot.HoldfastServer;
import dev.holdfast.server.tenant.OpenTenant;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;

/** Measures how fast a remote worker drains a backlog. */
@Command(
    name = "workers",
    description = {
      "Run 50k no-op jobs by a remote worker over HTTP, in batches of 100, and compare with a node"
          + " in one process. On a database that you give, it creates schemas holdfast_control and"
          + " holdfast_t1, and refuses to run if there are any."
    })
public final class WorkersBench extends BenchCommand {
  private static final int BATCH = 100;
  private static final int CONNECTIONS = 4;
  private static final Pattern CLAIM =
      Pattern.compile("\"job\":\"([0-9a-f-]{36})\",\"token\":\"([0-9]+)\"");

  @Override
  public void measure(Bench bench) throws Exception {
    if (bench.server().number("select count(*) from pg_namespace where nspname like 'holdfast\\_%'")
        > 0) {
      bench
          .report()
          .note("workers was not measured: the database has schemas of Holdfast already.");
      return;
    }
    int jobs = bench.jobs(50_000, 2_000);
    try (HoldfastServer server = HttpBench.start(bench, "api");
        BenchDatabase database = bench.server().fresh()) {
      String key = server.firstKeys().tenant();
      if (key == null) {
        throw new BenchException("The server has created no key, although it is new.");
      }
      OpenTenant tenant = server.tenants().open("default").orElseThrow();
      tenant.store().queues().resume(NoopJobs.QUEUE);
      Rounds<Double> rounds =
          bench
              .<Double>rounds("workers")
              .side("remote", () -> drain(bench, server.url(), tenant, key, jobs))
              .side("in process", () -> database.drain(jobs))
              .run();
      bench.report().add(Measure.of("workers.remote", rounds.median("remote", r -> r), "jobs/s"));
      bench
          .report()
          .add(Measure.of("workers.in_process", rounds.median("in process", r -> r), "jobs/s"));
      bench
          .report()
          .add(
              Measure.of(
                      "workers.ratio", rounds.ratio("remote", "in process", r -> r), Measure.RATIO)
                  .should(Bar.atLeast(0.30)));
    }
  }

  private static double drain(Bench bench, URI server, OpenTenant tenant, String key, int jobs)
      throws Exception {
    bench.server().execute("truncate %s.job".formatted(tenant.tenant().schema()));
    for (int left = jobs; left > 0; left -= NoopJobs.CHUNK) {
      int chunk = Math.min(left, NoopJobs.CHUNK);
      tenant.change(() -> tenant.client().enqueueAll(NoopJobs.requests(chunk)));
    }
    bench.server().settle();
    List<HttpConnection> connections = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS)) {
      for (int i = 0; i < CONNECTIONS; i++) {
        connections.add(new HttpConnection(server));
      }
      String worker = register(connections.getFirst(), key);
      long started = System.nanoTime();
      List<Future<Integer>> running = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        HttpConnection connection = connections.get(i);
        int first = i + 1;
        running.add(threads.submit(() -> work(connection, worker, key, first)));
      }
      int done = 0;
      for (Future<Integer> one : running) {
        done += one.get();
      }
      Duration took = Duration.ofNanos(System.nanoTime() - started);
      if (done != jobs) {
        throw new BenchException("%d of %d jobs were run.".formatted(done, jobs));
      }
      return NoopJobs.rate(jobs, took);
    } finally {
      for (HttpConnection connection : connections) {
        connection.close();
      }
    }
  }

  private static String register(HttpConnection connection, String key) throws Exception {
    String body = "{\"tasks\":[\"%s\"]}".formatted(NoopJobs.TASK.name());
    String reply =
        connection.send(HttpConnection.request("POST", HttpBench.TENANT + "/workers", key, body));
    Matcher id = Pattern.compile("\"worker\":\"([0-9a-f-]{36})\"").matcher(reply);
    if (!id.find()) {
      throw new BenchException("The worker was not registered: " + reply);
    }
    return HttpBench.TENANT + "/workers/" + id.group(1);
  }

  /** Claims and completes until nothing is left. Each call carries the outcomes of the last. */
  private static int work(HttpConnection connection, String worker, String key, int first)
      throws Exception {
    int done = 0;
    StringBuilder outcomes = new StringBuilder();
    for (long call = first; ; call += CONNECTIONS) {
      String body =
          "{\"call\":%d,\"from\":%d,\"max\":%d,\"outcomes\":[%s]}"
              .formatted(call, Math.max(1, call - CONNECTIONS), BATCH, outcomes);
      String reply = connection.send(HttpConnection.request("POST", worker + "/claim", key, body));
      int end = reply.indexOf("\"outcomes\":[");
      Matcher claim = CLAIM.matcher(reply.substring(0, end));
      outcomes.setLength(0);
      int claimed = 0;
      while (claim.find()) {
        outcomes
            .append(claimed == 0 ? "" : ",")
            .append("{\"job\":\"")
            .append(claim.group(1))
            .append("\",\"token\":\"")
            .append(claim.group(2))
            .append("\",\"outcome\":\"SUCCEEDED\"}");
        claimed++;
      }
      if (claimed == 0) {
        return done;
      }
      done += claimed;
    }
  }
}
