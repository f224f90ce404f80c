package dev.holdfast.bench.peers;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.Task;
import com.github.kagkarlsson.scheduler.task.TaskDescriptor;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** db-scheduler: one table with a row per execution, which is deleted when it is done. */
public final class DbSchedulerPeer implements Peer {
  private static final TaskDescriptor<String> NOTHING = TaskDescriptor.of("nothing", String.class);

  // It is stored with Java's serialisation, its default, which adds 7 bytes.
  private static final String PAYLOAD = "x".repeat(43);

  // One of the three configurations of its published benchmark. Every completion is a separate
  // commit, so throughput depends on many threads that share a flush. The other two configurations,
  // fewer threads, fewer connections than threads, and virtual threads were no faster.
  private static final int THREADS = 50;
  private static final double FETCH_BELOW = 0.5;
  private static final double FETCH_UP_TO = 4.0;

  private static final int DEFAULT_THREADS = 10;

  // The poller and the housekeeper need connections besides the threads.
  private static final int FURTHER_CONNECTIONS = 3;

  // A batch is one commit. Its variant for streams commits every 100 instances.
  private static final int BATCH = 1_000;

  // Its documented table for PostgreSQL, which its jar does not contain, without the column and the
  // index of the optional priority feature, which would only slow it down.
  private static final String DDL =
      """
      create table scheduled_tasks (
        task_name            text                     not null,
        task_instance        text                     not null,
        task_data            bytea,
        execution_time       timestamp with time zone not null,
        picked               boolean                  not null,
        picked_by            text,
        last_success         timestamp with time zone,
        last_failure         timestamp with time zone,
        consecutive_failures int,
        last_heartbeat       timestamp with time zone,
        version              bigint                   not null,
        primary key (task_name, task_instance)
      );
      create index execution_time_idx on scheduled_tasks (execution_time);
      create index last_heartbeat_idx on scheduled_tasks (last_heartbeat);
      """;

  private static final String UNFINISHED = "select exists (select from scheduled_tasks)";

  private final Tuning tuning;
  private final Tables tables = new Tables();
  private int enqueued;

  public DbSchedulerPeer(Tuning tuning) {
    this.tuning = tuning;
  }

  @Override
  public int connections() {
    return FURTHER_CONNECTIONS + (tuning == Tuning.TUNED ? THREADS : DEFAULT_THREADS);
  }

  @Override
  public void connect(DataSource database) {
    tables.connect(database);
  }

  @Override
  public void createTables() {
    tables.run(DDL);
  }

  @Override
  public void clear() {
    tables.run("truncate scheduled_tasks");
  }

  @Override
  public void enqueue(int count) {
    SchedulerClient client = SchedulerClient.Builder.create(tables.database()).build();
    Instant now = Instant.now();
    int end = enqueued + count;
    while (enqueued < end) {
      client.scheduleBatch(nextInstances(Math.min(BATCH, end - enqueued)), now);
    }
  }

  private List<TaskInstance<?>> nextInstances(int count) {
    List<TaskInstance<?>> instances = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      instances.add(NOTHING.instance("job-" + enqueued++).data(PAYLOAD).build());
    }
    return instances;
  }

  @Override
  public Lap drain(int count) {
    FinishLine finishLine = new FinishLine(count);
    Task<String> task = Tasks.oneTime(NOTHING).execute((instance, context) -> finishLine.jobRan());
    SchedulerBuilder builder = Scheduler.create(tables.database(), task);
    if (tuning == Tuning.TUNED) {
      builder
          .threads(THREADS)
          .pollUsingLockAndFetch(FETCH_BELOW, FETCH_UP_TO)
          // Applies only when idle: while jobs are due, it fetches when threads become free.
          .pollingInterval(Duration.ofSeconds(1));
    }
    Scheduler scheduler = builder.build();
    scheduler.start();
    try {
      return finishLine.await(tables, UNFINISHED);
    } finally {
      scheduler.stop();
    }
  }

  @Override
  public void close() {}
}
