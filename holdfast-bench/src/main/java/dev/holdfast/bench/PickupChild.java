package dev.holdfast.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.bench.harness.ChildCommand;
import dev.holdfast.bench.harness.Micros;
import dev.holdfast.bench.harness.PeerPool;
import dev.holdfast.bench.harness.Quantiles;
import dev.holdfast.bench.peers.ImmediatePeer;
import dev.holdfast.cli.database.Address;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.postgres.PostgresStore;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * A child process that starts jobs as soon as it can, and measures how long after their enqueue.
 * The first jobs do not count: the process compiles its code while it runs them.
 */
@Command(name = "pickup-child", hidden = true)
final class PickupChild extends ChildCommand {
  static final int NOT_COUNTED = 200;
  private static final int PATIENCE_SECONDS = 30;

  /** What starts the jobs. */
  enum Kind {
    /** A node of Holdfast. */
    NODE,
    /** A session that receives a bare NOTIFY and claims by id, in tables like those of Holdfast. */
    BARE,
    /** db-scheduler with immediate execution. */
    DB_SCHEDULER
  }

  @Option(names = "--kind", required = true)
  @SuppressWarnings("NullAway.Init")
  private Kind kind;

  @Option(names = "--tables", description = "The schema of the tables of a kind but NODE.")
  private String tables = "";

  private final BlockingQueue<Double> micros = new LinkedBlockingQueue<>();

  private final List<AutoCloseable> started = new ArrayList<>();

  @SuppressWarnings("NullAway.Init")
  private Consumer<Long> enqueue;

  @Override
  protected void start(Address address, PostgresStore store, String schema) throws Exception {
    switch (kind) {
      case NODE -> {
        HoldfastNode node =
            HoldfastNode.on(store)
                .meters(new CompositeMeterRegistry())
                .handle(
                    LatencyBench.PING,
                    (ping, context) -> {
                      startedOneSentAt(ping.sentMicros());
                      return null;
                    })
                .start();
        started.add(node);
        enqueue = sent -> node.client().enqueue(LatencyBench.PING, new LatencyBench.Ping(sent));
      }
      case BARE -> {
        BareReceiver receiver = new BareReceiver(address, tables, this::startedOneSentAt);
        Thread.ofPlatform().daemon().start(receiver);
        enqueue =
            sent -> {
              throw new UnsupportedOperationException("The bare side only receives.");
            };
      }
      case DB_SCHEDULER -> {
        HikariDataSource pool = PeerPool.of(address, tables, ImmediatePeer.CONNECTIONS);
        ImmediatePeer peer =
            new ImmediatePeer(pool, data -> startedOneSentAt(Long.parseLong(data)));
        peer.start();
        started.add(peer::stop);
        started.add(pool);
        enqueue = sent -> peer.schedule(Long.toString(sent));
      }
    }
  }

  @Override
  protected void stop() throws Exception {
    for (AutoCloseable each : started) {
      each.close();
    }
  }

  private void startedOneSentAt(long sent) {
    micros.add((double) (Micros.now() - sent));
  }

  /**
   * Executes {@code RECEIVE count} for jobs of another process, or {@code BOTH count}, which also
   * enqueues them. Replies with p50 and p99 in microseconds.
   */
  @Override
  protected String obey(String order) throws InterruptedException {
    String[] words = order.split(" ", -1);
    int count = NOT_COUNTED + Integer.parseInt(words[1]);
    if (words[0].equals(LatencyBench.BOTH)) {
      Thread.ofPlatform()
          .daemon()
          .start(() -> ProducerChild.everyInterval(count, () -> enqueue.accept(Micros.now())));
    }
    List<Double> counted = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Double one = micros.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      if (one == null) {
        throw new IllegalStateException("Only %d of %d jobs started.".formatted(i, count));
      }
      if (i >= NOT_COUNTED) {
        counted.add(one);
      }
    }
    return "%d %d"
        .formatted(
            Math.round(Quantiles.of(counted, 0.50)), Math.round(Quantiles.of(counted, 0.99)));
  }
}
