package dev.holdfast.bench.peers;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.TaskDescriptor;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * db-scheduler with immediate execution: a job that is scheduled for now through the scheduler of
 * the same process starts without waiting for the next poll.
 */
public final class ImmediatePeer {
  /** Enough for its 10 threads, the poller and the housekeeper. */
  public static final int CONNECTIONS = 13;

  private static final TaskDescriptor<String> TASK = TaskDescriptor.of("immediate", String.class);

  private final AtomicLong scheduled = new AtomicLong();
  private final Scheduler scheduler;

  /**
   * Prepares a scheduler with otherwise default settings.
   *
   * @param database a database with the tables of {@link DbSchedulerPeer}
   * @param job called with the data of each job
   */
  public ImmediatePeer(DataSource database, Consumer<String> job) {
    this.scheduler =
        Scheduler.create(
                database,
                Tasks.oneTime(TASK).execute((instance, context) -> job.accept(instance.getData())))
            .enableImmediateExecution()
            .build();
  }

  /**
   * Returns what schedules a job with the given data, as a process does that runs no jobs.
   *
   * @param database a database with the tables of {@link DbSchedulerPeer}
   */
  public static Consumer<String> client(DataSource database) {
    SchedulerClient client = SchedulerClient.Builder.create(database).build();
    AtomicLong ids = new AtomicLong();
    return data ->
        client.scheduleIfNotExists(
            TASK.instance(Long.toString(ids.incrementAndGet())).data(data).build(), Instant.now());
  }

  /** Starts to run jobs. */
  public void start() {
    scheduler.start();
  }

  public void stop() {
    scheduler.stop();
  }

  /** Schedules a job that is due at once. */
  public void schedule(String data) {
    String id = Long.toString(scheduled.incrementAndGet());
    scheduler.scheduleIfNotExists(TASK.instance(id).data(data).build(), Instant.now());
  }
}
