package dev.holdfast.cli.demo;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.job.QueueStatus;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.PrintWriter;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Prints the state of the queues, one line at a time. Waiting and running jobs are read from the
 * database, finished jobs from the node's metrics.
 */
final class Board {
  private static final String CELL = "%6s %7s %7s %6s %6s";
  private static final int LINES_PER_HEADER = 20;

  private final Holdfast client;
  private final MeterRegistry meters;
  private final PrintWriter out;
  private final Map<String, Long> doneBefore = new HashMap<>();
  private final Set<String> paused = new HashSet<>();
  private double secondsBefore;
  private int lines;

  Board(Holdfast client, MeterRegistry meters, PrintWriter out) {
    this.client = client;
    this.meters = meters;
    this.out = out;
  }

  /** Prints one line. */
  void print(double seconds) {
    if (lines++ % LINES_PER_HEADER == 0) {
      printHeader();
    }
    Map<String, QueueStatus> statuses =
        client.queues().list().stream()
            .collect(Collectors.toMap(QueueStatus::name, Function.identity()));
    DemoTasks.QUEUES.forEach(queue -> tellIfPaused(queue, statuses.get(queue)));
    StringBuilder line = new StringBuilder("%4.0fs".formatted(seconds));
    for (String queue : DemoTasks.QUEUES) {
      QueueStatus status = statuses.get(queue);
      long done = succeeded(queue);
      long before = doneBefore.getOrDefault(queue, 0L);
      doneBefore.put(queue, done);
      line.append(" |")
          .append(
              CELL.formatted(
                  status == null ? 0 : status.ready(),
                  status == null ? 0 : status.held(),
                  done,
                  failed(queue),
                  Math.round((done - before) / Math.max(0.001, seconds - secondsBefore))));
    }
    secondsBefore = seconds;
    out.println(line);
    out.flush();
  }

  /** Prints one line when the queue is first seen paused, and one when it is resumed. */
  private void tellIfPaused(String queue, @Nullable QueueStatus status) {
    boolean isPaused = status != null && status.paused();
    if (isPaused && paused.add(queue)) {
      out.println(
          "Queue '%s' is paused: its jobs wait until 'holdfast queue resume %s'."
              .formatted(queue, queue));
    } else if (!isPaused && paused.remove(queue)) {
      out.println("Queue '%s' is no longer paused.".formatted(queue));
    }
  }

  private void printHeader() {
    StringBuilder names = new StringBuilder("     ");
    StringBuilder columns = new StringBuilder(" time");
    for (String queue : DemoTasks.QUEUES) {
      String cell = CELL.formatted("ready", "running", "done", "failed", "jobs/s");
      names.append(" |").append((" %-" + (cell.length() - 1) + "s").formatted("queue " + queue));
      columns.append(" |").append(cell);
    }
    out.println(names.toString().stripTrailing());
    out.println(columns);
  }

  long succeeded(String queue) {
    return count("succeeded", queue);
  }

  long failed(String queue) {
    return count("failed", queue);
  }

  long retried(String queue) {
    return count("retried", queue);
  }

  private long count(String what, String queue) {
    // One counter for each task of the queue.
    return (long)
        meters.find("holdfast.jobs." + what).tag("queue", queue).counters().stream()
            .mapToDouble(Counter::count)
            .sum();
  }

  /** Returns how many jobs have not ended, without those of paused queues, which cannot end. */
  long live() {
    List<QueueStatus> statuses = client.queues().list();
    return statuses.stream()
        .filter(status -> DemoTasks.QUEUES.contains(status.name()) && !status.paused())
        .mapToLong(status -> status.ready() + status.held() + status.scheduled())
        .sum();
  }
}
