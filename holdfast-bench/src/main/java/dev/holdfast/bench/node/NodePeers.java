package dev.holdfast.bench.node;

import dev.holdfast.bench.peers.Tuning;

/** The peers for Node.js. */
public enum NodePeers {
  GRAPHILE_WORKER("graphile-worker", "graphile-worker 0.18.0", "_private_jobs", 5_000),
  // By default it runs one job every two seconds.
  PG_BOSS("pg-boss", "pg-boss 12.35.0", "job", 3);

  private static final int MANY = 200_000;

  /** Its name in measures, which is also that of its script. */
  public final String label;

  /** Its name and version. */
  public final String title;

  private final String table;
  private final int jobs;

  NodePeers(String label, String title, String table, int jobs) {
    this.label = label;
    this.title = title;
    this.table = table;
    this.jobs = jobs;
  }

  /** Returns how many jobs it runs in a few seconds. */
  public int jobs(Tuning tuning) {
    return tuning == Tuning.TUNED ? MANY : jobs;
  }

  /** Returns a statement that deletes all jobs. */
  public String clear(String schema) {
    return "truncate %s.%s cascade".formatted(schema, table);
  }
}
