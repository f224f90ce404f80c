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
  // The same for all settings: rows belong to the scheduler of this name.
  private static final String NAME = "bench";

  // It claims at most as many triggers at once as there are free threads.
  private static final int THREADS = 50;

  // That of the properties that it ships.
  private static final int DEFAULT_THREADS = 10;

  // Its documentation recommends the number of threads plus three. But in a cluster it does
  // everything under one row lock, and threads that wait for a connection cost less than threads
  // that wait in PostgreSQL for that row: five connections were up to twice as fast.
  private static final int CONNECTIONS = 5;

  private static final String DDL = "tables_postgres.sql";

  private static final String UNFINISHED =
      """
      select exists (select from qrtz_triggers) or exists (select from qrtz_fired_triggers)
      """;

  private static final String PAYLOAD = "x".repeat(50);

  private final Tuning tuning;
  private final Tables tables = new Tables();
  private @Nullable Scheduler scheduler;
  private volatile FinishLine finishLine = new FinishLine(0);
  private int enqueued;

  public QuartzPeer(Tuning tuning) {
    this.tuning = tuning;
  }

  @Override
  public int connections() {
    return CONNECTIONS;
  }

  @Override
  public void connect(DataSource database) {
    tables.connect(database);
    DBConnectionManager.getInstance().addConnectionProvider(NAME, new Connections(database));
    try {
      scheduler = new StdSchedulerFactory(properties()).getScheduler();
    } catch (SchedulerException failure) {
      throw new IllegalStateException("Quartz cannot be set up", failure);
    }
  }

  @Override
  public void createTables() {
    tables.run(ddl());
  }

  @Override
  public void clear() {
    tables.run("truncate qrtz_fired_triggers, qrtz_triggers, qrtz_job_details cascade");
  }

  /** Adds many triggers of one durable job, because a job per trigger would double the rows. */
  @Override
  public void enqueue(int count) {
    JobDetail job = JobBuilder.newJob(Nothing.class).withIdentity("nothing").storeDurably().build();
    Set<Trigger> triggers = HashSet.newHashSet(count);
    for (int i = 0; i < count; i++) {
      triggers.add(
          TriggerBuilder.newTrigger()
              .withIdentity("trigger-" + enqueued++)
              .forJob(job)
              .usingJobData("text", PAYLOAD)
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
  public Lap drain(int count) {
    finishLine = new FinishLine(count);
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
      throw new IllegalStateException("Quartz has no database yet: call connect first");
    }
    return scheduler;
  }

  private Properties properties() {
    Properties properties = new Properties();
    properties.putAll(
        Map.of(
            "org.quartz.scheduler.instanceName",
            NAME,
            "org.quartz.scheduler.instanceId",
            "AUTO",
            "org.quartz.threadPool.class",
            SimpleThreadPool.class.getName(),
            "org.quartz.threadPool.threadCount",
            Integer.toString(tuning == Tuning.TUNED ? THREADS : DEFAULT_THREADS),
            "org.quartz.jobStore.class",
            JobStoreTX.class.getName(),
            "org.quartz.jobStore.driverDelegateClass",
            PostgreSQLDelegate.class.getName(),
            "org.quartz.jobStore.dataSource",
            NAME,
            "org.quartz.jobStore.isClustered",
            "true",
            "org.quartz.jobStore.useProperties",
            "true",
            // A trigger that waits for more than a minute must not count as misfired.
            "org.quartz.jobStore.misfireThreshold",
            Long.toString(Duration.ofHours(1).toMillis())));
    if (tuning == Tuning.TUNED) {
      properties.putAll(
          Map.of(
              // The default is one by one; batches must be claimed under the lock.
              "org.quartz.scheduler.batchTriggerAcquisitionMaxCount",
              Integer.toString(THREADS),
              "org.quartz.jobStore.acquireTriggersWithinLock",
              "true"));
    }
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
