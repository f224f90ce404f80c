package dev.holdfast.bench.peers;

import com.github.kagkarlsson.scheduler.Scheduler;
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
  private static final TaskDescriptor<Void> NOTHING = TaskDescriptor.of("nothing", Void.class);

  // One of the three configurations of its published benchmark. Every completion is a separate
  // commit, so throughput depends on many threads that share a flush. The other two configurations,
  // fewer threads, fewer connections than threads, and virtual threads were no faster.
  private static final int THREADS = 50;
  private static final double FETCH_BELOW = 0.5;
  private static final double FETCH_UP_TO = 4.0;

  // The poller and the housekeeper need connections besides the threads.
  private static final int CONNECTIONS = THREADS + 3;

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

  private final Tables tables = new Tables();
  private int enqueued;

  @Override
  public String name() {
    return "db-scheduler 16.12.0";
  }

  @Override
  public int connections() {
    return CONNECTIONS;
  }

  @Override
  public int comfortableRound() {
    return 50_000;
  }

  @Override
  public void install(DataSource database) {
    tables.installIn(database);
    tables.run(DDL);
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
      instances.add(NOTHING.instance("job-" + enqueued++).build());
    }
    return instances;
  }

  @Override
  public Duration drain(int count) {
    tables.analyze();
    FinishLine finishLine = new FinishLine(count);
    Task<Void> task = Tasks.oneTime(NOTHING).execute((instance, context) -> finishLine.jobRan());
    Scheduler scheduler =
        Scheduler.create(tables.database(), task)
            .threads(THREADS)
            .pollUsingLockAndFetch(FETCH_BELOW, FETCH_UP_TO)
            // Applies only when idle: while jobs are due, it fetches when threads become free.
            .pollingInterval(Duration.ofSeconds(1))
            .build();
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
