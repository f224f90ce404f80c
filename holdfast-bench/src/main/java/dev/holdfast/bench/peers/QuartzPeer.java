package dev.holdfast.bench.peers;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.impl.jdbcjobstore.JobStoreTX;
import org.quartz.impl.jdbcjobstore.PostgreSQLDelegate;
import org.quartz.simpl.SimpleThreadPool;
import org.quartz.utils.ConnectionProvider;
import org.quartz.utils.DBConnectionManager;

/** Quartz on JDBC, clustered: a trigger per job, deleted when its job has run. */
public final class QuartzPeer implements Peer {
  private static final String NAME = "bench";

  // It claims at most as many triggers at once as there are free threads.
  private static final int THREADS = 50;

  // Its documentation recommends the number of threads plus three. But in a cluster it does
  // everything under one row lock, and threads that wait for a connection cost less than threads
  // that wait in PostgreSQL for that row: five connections were up to twice as fast.
  private static final int CONNECTIONS = 5;

  private static final String DDL = "tables_postgres.sql";

  private static final String UNFINISHED =
      """
      select exists (select from qrtz_triggers) or exists (select from qrtz_fired_triggers)
      """;

  private final Tables tables = new Tables();
  private @Nullable Scheduler scheduler;
  private volatile FinishLine finishLine = new FinishLine(0);
  private int enqueued;

  @Override
  public String name() {
    return "Quartz 2.5.2";
  }

  @Override
  public int connections() {
    return CONNECTIONS;
  }

  @Override
  public int comfortableRound() {
    return 2_000;
  }

  @Override
  public void install(DataSource database) {
    tables.installIn(database);
    tables.run(ddl());
    DBConnectionManager.getInstance().addConnectionProvider(NAME, new Connections(database));
    try {
      scheduler = new StdSchedulerFactory(properties()).getScheduler();
    } catch (SchedulerException failure) {
      throw new IllegalStateException("Quartz cannot be set up", failure);
    }
  }

  /** Adds many triggers of one durable job, because a job per trigger would double the rows. */
  @Override
  public void enqueue(int count) {
    // A scheduler in standby may still fire a batch that it has claimed; it counts for the new
    // round.
    finishLine = new FinishLine(count);
    JobDetail job = JobBuilder.newJob(Nothing.class).withIdentity("nothing").storeDurably().build();
    Set<Trigger> triggers = HashSet.newHashSet(count);
    for (int i = 0; i < count; i++) {
      triggers.add(
          TriggerBuilder.newTrigger()
              .withIdentity("trigger-" + enqueued++)
              .forJob(job)
              .startNow()
              .build());
    }
    try {
      scheduler().scheduleJobs(Map.of(job, triggers), true);
    } catch (SchedulerException failure) {
      throw new IllegalStateException("Quartz did not take " + count + " triggers", failure);
    }
  }

  @Override
  public Duration drain(int count) {
    tables.analyze();
    try {
      scheduler().setJobFactory((fired, by) -> new Nothing(finishLine));
      scheduler().start();
      try {
        return finishLine.await(tables, UNFINISHED);
      } finally {
        scheduler().standby();
      }
    } catch (SchedulerException failure) {
      throw new IllegalStateException("Quartz did not run " + count + " jobs", failure);
    }
  }

  @Override
  public void close() {
    if (scheduler == null) {
      return;
    }
    try {
      scheduler.shutdown(true);
    } catch (SchedulerException failure) {
      throw new IllegalStateException("Quartz did not shut down", failure);
    }
  }

  private Scheduler scheduler() {
    if (scheduler == null) {
      throw new IllegalStateException("Quartz has no tables yet: call install first");
    }
    return scheduler;
  }

  private static Properties properties() {
    Properties properties = new Properties();
    properties.putAll(
        Map.ofEntries(
            Map.entry("org.quartz.scheduler.instanceName", NAME),
            Map.entry("org.quartz.scheduler.instanceId", "AUTO"),
            Map.entry("org.quartz.threadPool.class", SimpleThreadPool.class.getName()),
            Map.entry("org.quartz.threadPool.threadCount", Integer.toString(THREADS)),
            Map.entry("org.quartz.jobStore.class", JobStoreTX.class.getName()),
            Map.entry(
                "org.quartz.jobStore.driverDelegateClass", PostgreSQLDelegate.class.getName()),
            Map.entry("org.quartz.jobStore.dataSource", NAME),
            Map.entry("org.quartz.jobStore.isClustered", "true"),
            Map.entry("org.quartz.jobStore.useProperties", "true"),
            // The default is one by one; batches must be claimed under the lock.
            Map.entry(
                "org.quartz.scheduler.batchTriggerAcquisitionMaxCount", Integer.toString(THREADS)),
            Map.entry("org.quartz.jobStore.acquireTriggersWithinLock", "true"),
            // A trigger that waits for more than a minute must not count as misfired.
            Map.entry(
                "org.quartz.jobStore.misfireThreshold",
                Long.toString(Duration.ofHours(1).toMillis()))));
    return properties;
  }

  private static String ddl() {
    try (InputStream shipped = JobStoreTX.class.getResourceAsStream(DDL)) {
      if (shipped == null) {
        throw new IllegalStateException("The jar of Quartz no longer contains " + DDL);
      }
      // The connection is in autocommit mode.
      return new String(shipped.readAllBytes(), StandardCharsets.UTF_8).replace("COMMIT;", "");
    } catch (IOException failure) {
      throw new IllegalStateException("Cannot read " + DDL + " from the jar of Quartz", failure);
    }
  }

  /** A no-op job. */
  private record Nothing(FinishLine finishLine) implements Job {
    @Override
    public void execute(JobExecutionContext context) {
      finishLine.jobRan();
    }
  }

  /** Lets Quartz use an external pool, which it neither opens nor closes. */
  private record Connections(DataSource database) implements ConnectionProvider {
    @Override
    public Connection getConnection() throws SQLException {
      return database.getConnection();
    }

    @Override
    public void initialize() {}

    @Override
    public void shutdown() {}
  }
}
