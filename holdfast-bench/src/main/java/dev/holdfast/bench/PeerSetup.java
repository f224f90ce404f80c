package dev.holdfast.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.bench.harness.BenchServer;
import dev.holdfast.bench.harness.NoopJobs;
import dev.holdfast.bench.harness.PeerPool;
import dev.holdfast.bench.peers.Peer;
import java.sql.SQLException;

/** A peer with its tables in a new schema, and a connection pool of the size it requests. */
final class PeerSetup implements AutoCloseable {
  private final BenchServer server;
  private final String schema;
  private final Peer peer;
  private final HikariDataSource pool;

  private PeerSetup(BenchServer server, String schema, Peer peer, HikariDataSource pool) {
    this.server = server;
    this.schema = schema;
    this.peer = peer;
    this.pool = pool;
  }

  static PeerSetup install(BenchServer server, Peer peer) throws SQLException {
    String schema = BenchServer.freshSchema();
    server.execute("create schema " + schema);
    HikariDataSource pool = PeerPool.of(server.address(), schema, peer.connections());
    PeerSetup setup = new PeerSetup(server, schema, peer, pool);
    try {
      peer.install(pool);
      return setup;
    } catch (RuntimeException failure) {
      setup.close();
      throw failure;
    }
  }

  String name() {
    return peer.name();
  }

  /** Returns how many jobs the peer runs in a few seconds. */
  int comfortableRound() {
    return peer.comfortableRound();
  }

  /** Enqueues and drains the given number of jobs, and returns the jobs drained per second. */
  double drain(int jobs) throws SQLException {
    peer.enqueue(jobs);
    server.settle();
    double rate = NoopJobs.rate(jobs, peer.drain(jobs));
    pool.getHikariPoolMXBean().softEvictConnections();
    return rate;
  }

  @Override
  public void close() throws SQLException {
    peer.close();
    pool.close();
    server.execute("drop schema if exists %s cascade".formatted(schema));
  }
}
