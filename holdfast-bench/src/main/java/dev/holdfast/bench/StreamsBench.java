package dev.holdfast.bench;

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
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures what clients that watch cost a server that works. */
@Command(
    name = "streams",
    description = {
      "Compare how fast a server drains a queue with and without clients that watch it.",
      "The clients run in the same process, so what they cost counts too. On a database that you"
          + " give, it creates tenant 'default' in schemas holdfast_control and holdfast_t1, and"
          + " refuses to run if there are any."
    })
public final class StreamsBench extends BenchCommand {
  private static final String QUEUE = "default";
  private static final int CONCURRENCY = 1_000;
  private static final Duration LIMIT = Duration.ofMinutes(5);

  @Option(
      names = "--clients",
      paramLabel = "N",
      description = "How many clients watch. Defaults to 500.")
  private int many = 500;

  private final AtomicInteger ran = new AtomicInteger();
  private final AtomicLong first = new AtomicLong();
  private final AtomicLong last = new AtomicLong();

  @Override
  public void measure(Bench bench) throws Exception {
    if (bench
            .server()
            .number("select count(*) from pg_namespace where nspname like 'holdfast\\_t%'")
        > 0) {
      bench.report().note("streams was not measured: the database has schemas of tenants already.");
      return;
    }
    int clients = bench.quick() ? Math.min(20, many) : many;
    int jobs = bench.jobs(50_000, 2_000);
    AtomicLong events = new AtomicLong();
    try (HoldfastServer server = start(bench)) {
      String key = String.valueOf(server.firstKeys().tenant());
      Rounds<Double> rounds =
          bench
              .<Double>rounds("streams")
              .side("alone", () -> drain(bench, server, jobs))
              .side(
                  "watched",
                  () -> {
                    awaitNobody(server);
                    try (Clients watching = new Clients(server.url(), key, clients, events)) {
                      return drain(bench, server, jobs);
                    }
                  })
              .run();
      bench
          .report()
          .add(Measure.of("streams.drain", rounds.median("watched", rate -> rate), "jobs/s"));
      bench
          .report()
          .add(
              Measure.of(
                      "streams.drain_ratio",
                      rounds.ratio("watched", "alone", rate -> rate),
                      Measure.RATIO)
                  .should(Bar.atLeast(0.95)));
      bench
          .report()
          .note(
              "streams: %d clients received %d kB in all rounds."
                  .formatted(clients, events.get() / 1_024));
    }
  }

  /**
   * Waits until the server has noticed that the clients of the round before have left, which it
   * does when it writes to them: a tenant may have as many clients as watch here.
   */
  private static void awaitNobody(HoldfastServer server) throws InterruptedException {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (server.watching() > 0) {
      if (System.nanoTime() - end > 0) {
        throw new BenchException(
            "%d clients that have left are still counted.".formatted(server.watching()));
      }
      Thread.sleep(5);
    }
  }

  private HoldfastServer start(Bench bench) {
    Address address = bench.server().address();
    Map<String, String> flags = new HashMap<>();
    flags.put("port", "0");
    flags.put("database.url", address.url());
    if (address.user() != null) {
      flags.put("database.user", address.user());
    }
    if (address.password() != null) {
      flags.put("database.password", address.password());
    }
    flags.put("concurrency", String.valueOf(CONCURRENCY));
    flags.put("queues", QUEUE + "=" + CONCURRENCY);
    return HoldfastServer.start(
        Configuration.read(null, Map.of(), flags).server(),
        List.of(binder ->
            binder.handle(
                NoopJobs.TASK,
                (payload, context) -> {
                  long now = System.nanoTime();
                  first.compareAndSet(0, now);
                  last.accumulateAndGet(now, Math::max);
                  ran.incrementAndGet();
                })));
  }

  private double drain(Bench bench, HoldfastServer server, int jobs) throws Exception {
    OpenTenant tenant = server.tenants().open("default").orElseThrow();
    tenant.wake();
    tenant.client().queues().pause(QUEUE);
    for (int left = jobs; left > 0; ) {
      left -= tenant.client().enqueueAll(NoopJobs.requests(Math.min(left, NoopJobs.CHUNK))).size();
    }
    bench.server().settle();
    ran.set(0);
    first.set(0);
    last.set(0);
    tenant.wake();
    tenant.client().queues().resume(QUEUE);
    long end = System.nanoTime() + LIMIT.toNanos();
    while (ran.get() < jobs) {
      if (System.nanoTime() - end > 0) {
        throw new BenchException(
            "Only %d of %d jobs ran within %s.".formatted(ran.get(), jobs, LIMIT));
      }
      Thread.sleep(5);
    }
    return NoopJobs.rate(jobs, Duration.ofNanos(last.get() - first.get()));
  }

  /** Clients that read as fast as they can, and do nothing with it. */
  private static final class Clients implements AutoCloseable {
    private final List<Socket> sockets = new ArrayList<>();
    private final Semaphore started = new Semaphore(0);

    Clients(URI server, String key, int count, AtomicLong bytes)
        throws IOException, InterruptedException {
      byte[] request =
          """
          GET /v1/tenants/default/stream?topic=jobs HTTP/1.1\r
          Host: localhost\r
          Authorization: Bearer %s\r
          \r
          """
              .formatted(key)
              .getBytes(StandardCharsets.US_ASCII);
      for (int i = 0; i < count; i++) {
        Socket socket = new Socket(server.getHost(), server.getPort());
        sockets.add(socket);
        socket.getOutputStream().write(request);
        Thread.ofVirtual().start(() -> read(socket, bytes));
      }
      if (!started.tryAcquire(count, LIMIT.toSeconds(), TimeUnit.SECONDS)) {
        close();
        throw new BenchException(
            "Only %d of %d clients got an event.".formatted(started.availablePermits(), count));
      }
    }

    private void read(Socket socket, AtomicLong bytes) {
      byte[] buffer = new byte[8 * 1_024];
      boolean any = false;
      try (InputStream in = socket.getInputStream()) {
        for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
          bytes.addAndGet(length);
          if (!any
              && new String(buffer, 0, length, StandardCharsets.UTF_8).contains("event: jobs")) {
            any = true;
            started.release();
          }
        }
      } catch (IOException closed) {
        // By close(), at the end of a round.
      }
    }

    @Override
    public void close() throws IOException {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }
}
