package dev.holdfast.bench;

import dev.holdfast.bench.harness.NoopJobs;
import dev.holdfast.bench.peers.FinishLine;
import dev.holdfast.bench.peers.JobRunner;
import dev.holdfast.bench.peers.Lap;
import dev.holdfast.bench.peers.Tables;
import dev.holdfast.bench.peers.Tuning;
import dev.holdfast.cli.database.Address;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.postgres.PostgresStore;
import org.postgresql.ds.PGSimpleDataSource;

/** Holdfast, run and timed in the same way as its peers. */
final class HoldfastRunner implements JobRunner {
  private static final String UNFINISHED = "select exists (select from job)";

  private final int slots;
  private final PostgresStore store;
  private final Tables tables = new Tables();

  HoldfastRunner(Address address, String schema, Tuning tuning) {
    this.slots = tuning == Tuning.TUNED ? NoopJobs.CONCURRENCY : 0;
    this.store = PostgresStore.connect(address.settings(schema).name("holdfast-bench").build());
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(address.url());
    source.setUser(address.user());
    source.setPassword(address.password());
    source.setCurrentSchema(schema);
    tables.connect(source);
  }

  @Override
  public Lap drain(int count) {
    FinishLine finishLine = new FinishLine(count);
    HoldfastNode node = NoopJobs.start(store, slots, finishLine::jobRan);
    try (node) {
      return finishLine.await(tables, UNFINISHED);
    }
  }

  @Override
  public void close() {
    store.close();
  }
}
