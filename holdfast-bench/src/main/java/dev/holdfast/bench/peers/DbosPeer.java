package dev.holdfast.bench.peers;

import dev.dbos.transact.DBOS;
import dev.dbos.transact.config.DBOSConfig;
import dev.dbos.transact.workflow.Workflow;
import dev.dbos.transact.workflow.WorkflowHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;

/**
 * DBOS Transact: a workflow is a method that calls its steps, and a row is written before it, after
 * each step and after it. It is no {@link Peer}, because it has no jobs.
 *
 * <p>Workflows are started directly, which it recommends unless a queue must limit them, and which
 * is faster: a queue adds a poll and a write. They run on virtual threads, its default from Java 21
 * on.
 */
public final class DbosPeer implements AutoCloseable {
  /** Its default. More connections were no faster on the machine of the published numbers. */
  public static final int CONNECTIONS = 10;

  private final DBOS dbos;
  private final Chain chain;

  /** A workflow of no-op steps; public because DBOS calls it through a proxy. */
  public interface Chain {
    void run(String input, int steps);
  }

  private record Steps(DBOS dbos) implements Chain {
    @Override
    @Workflow(name = "chain")
    public void run(String input, int steps) {
      for (int i = 1; i <= steps; i++) {
        dbos.runStep(() -> {}, "step-" + i);
      }
    }
  }

  private DbosPeer(DBOS dbos) {
    this.dbos = dbos;
    this.chain = dbos.registerProxy(Chain.class, new Steps(dbos));
  }

  /**
   * Creates its tables and starts it.
   *
   * @param database closed by the caller, after this peer
   */
  public static DbosPeer launch(DataSource database, String schema) {
    DbosPeer peer =
        new DbosPeer(
            new DBOS(
                DBOSConfig.defaults("holdfast-bench")
                    .withDataSource(database)
                    .withDatabaseSchema(schema)
                    .withAppVersion("bench")));
    peer.dbos.launch();
    return peer;
  }

  /** Returns the name and version to print. */
  public String name() {
    return "DBOS Transact 1.1.0-m6";
  }

  /**
   * Runs workflows.
   *
   * @param callers how many threads start them
   * @return the time from the first start until all have ended
   */
  public Duration run(int workflows, int steps, String input, int callers) {
    long started = System.nanoTime();
    try (ExecutorService threads = Executors.newFixedThreadPool(callers)) {
      List<Future<WorkflowHandle<Void, RuntimeException>>> handles = new ArrayList<>();
      for (int i = 0; i < workflows; i++) {
        handles.add(threads.submit(() -> dbos.startWorkflow(() -> chain.run(input, steps))));
      }
      for (Future<WorkflowHandle<Void, RuntimeException>> handle : handles) {
        handle.get().getResult();
      }
    } catch (ExecutionException failure) {
      throw new IllegalStateException("DBOS could not start a workflow", failure);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while DBOS ran workflows", stop);
    }
    return Duration.ofNanos(System.nanoTime() - started);
  }

  @Override
  public void close() {
    dbos.shutdown();
  }
}
