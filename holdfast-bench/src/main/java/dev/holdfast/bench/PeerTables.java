package dev.holdfast.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.bench.harness.BenchDatabase;
import dev.holdfast.bench.harness.BenchServer;
import dev.holdfast.bench.harness.Child;
import dev.holdfast.bench.harness.NoopJobs;
import dev.holdfast.bench.harness.PeerPool;
import dev.holdfast.bench.node.NodePackages;
import dev.holdfast.bench.node.NodePeers;
import dev.holdfast.bench.peers.Peer;
import dev.holdfast.bench.peers.Tuning;
import java.io.IOException;
import java.sql.SQLException;

/**
 * The tables of a library in a new schema, which is dropped on close. All settings of a library
 * share them: JobRunr does not create its tables if another schema of the database has them.
 */
interface PeerTables extends AutoCloseable {

  String schema();

  /** Empties the tables, and enqueues no-op jobs with a payload of 50 bytes. */
  void fill(int jobs) throws SQLException, IOException;

  @Override
  void close() throws SQLException, IOException;

  static PeerTables ofHoldfast(BenchServer server) {
    BenchDatabase database = server.fresh();
    return new PeerTables() {
      @Override
      public String schema() {
        return database.schema();
      }

      @Override
      public void fill(int jobs) throws SQLException {
        database.clear();
        NoopJobs.enqueue(database.store(), jobs);
      }

      @Override
      public void close() throws SQLException {
        database.close();
      }
    };
  }

  static PeerTables of(BenchServer server, JavaPeers which) throws SQLException {
    String schema = newSchema(server);
    Peer peer = which.create(Tuning.TUNED);
    HikariDataSource pool = PeerPool.of(server.address(), schema, peer.connections());
    peer.connect(pool);
    peer.createTables();
    return new PeerTables() {
      @Override
      public String schema() {
        return schema;
      }

      @Override
      public void fill(int jobs) {
        peer.clear();
        peer.enqueue(jobs);
        pool.getHikariPoolMXBean().softEvictConnections();
      }

      @Override
      public void close() throws SQLException {
        peer.close();
        pool.close();
        drop(server, schema);
      }
    };
  }

  static PeerTables of(BenchServer server, NodePackages packages, NodePeers which)
      throws SQLException, IOException {
    String schema = newSchema(server);
    Child client = packages.start(server, which, "fill", schema, Tuning.DEFAULT.label());
    client.await(Child.READY);
    return new PeerTables() {
      @Override
      public String schema() {
        return schema;
      }

      @Override
      public void fill(int jobs) throws SQLException, IOException {
        server.execute(which.clear(schema));
        client.tell(Integer.toString(jobs));
        client.await(Child.DONE);
      }

      @Override
      public void close() throws SQLException, IOException {
        client.close();
        drop(server, schema);
      }
    };
  }

  private static String newSchema(BenchServer server) throws SQLException {
    String schema = BenchServer.freshSchema();
    server.execute("create schema " + schema);
    return schema;
  }

  private static void drop(BenchServer server, String schema) throws SQLException {
    server.execute("drop schema if exists %s cascade".formatted(schema));
  }
}
