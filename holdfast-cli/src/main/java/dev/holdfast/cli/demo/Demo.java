package dev.holdfast.cli.demo;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.JobRequest;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.store.Store;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import java.util.random.RandomGenerator;

/** Runs a node, enqueues jobs and prints a line a second until the demo ends. */
final class Demo {
  private static final int JOBS_PER_SECOND = 200;
  private static final Duration TICK = Duration.ofMillis(50);
  private static final Duration LINE_EVERY = Duration.ofSeconds(1);
  private static final Duration DRAIN_AT_MOST = Duration.ofSeconds(15);

  /**
   * When the demo ends: when the time is over or the number of jobs is reached.
   *
   * @param time for how long to enqueue jobs
   * @param jobs how many jobs to enqueue
   */
  record Length(Duration time, long jobs) {}

  private final Store store;
  private final Length length;
  private final PrintWriter out;
  private final CountDownLatch stop;
  private final DemoTasks tasks = new DemoTasks(RandomGenerator.getDefault());
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final long started = System.nanoTime();
  private long enqueued;
  private long printed;

  /**
   * @param stop counted down to end the demo at once
   */
  Demo(Store store, Length length, PrintWriter out, CountDownLatch stop) {
    this.store = store;
    this.length = length;
    this.out = out;
    this.stop = stop;
  }

  void run() throws InterruptedException {
    Board board;
    try (HoldfastNode node = tasks.node(store).meters(meters).start()) {
      Holdfast client = node.client();
      board = new Board(client, meters, out);
      boolean stopped = enqueueUntilEnough(client, board);
      if (!stopped) {
        awaitDrained(board);
      }
      out.println("Stopping the node: it claims no more jobs and lets running jobs finish ...");
      out.flush();
    }
    summarise(board);
  }

  /** Returns whether the demo was stopped early. */
  private boolean enqueueUntilEnough(Holdfast client, Board board) throws InterruptedException {
    while (enqueued < length.jobs() && elapsed().compareTo(length.time()) < 0) {
      enqueueDue(client);
      printDue(board);
      if (stop.await(TICK.toMillis(), TimeUnit.MILLISECONDS)) {
        return true;
      }
    }
    return false;
  }

  private void enqueueDue(Holdfast client) {
    long due = Math.min(length.jobs(), (elapsed().plus(TICK).toMillis() * JOBS_PER_SECOND) / 1000);
    List<JobRequest<?, ?>> batch = new ArrayList<>();
    while (enqueued < due) {
      batch.add(tasks.any());
      enqueued++;
    }
    client.enqueueAll(batch);
  }

  private void awaitDrained(Board board) throws InterruptedException {
    out.println("All jobs are enqueued; waiting for the rest to finish ...");
    long deadline = System.nanoTime() + DRAIN_AT_MOST.toNanos();
    while (board.live() > 0 && System.nanoTime() < deadline) {
      printDue(board);
      if (stop.await(TICK.toMillis(), TimeUnit.MILLISECONDS)) {
        return;
      }
    }
    board.print(elapsed().toMillis() / 1000.0);
  }

  private void printDue(Board board) {
    long due = elapsed().dividedBy(LINE_EVERY);
    if (due > printed) {
      printed = due;
      board.print(elapsed().toMillis() / 1000.0);
    }
  }

  private void summarise(Board board) {
    long done = total(board::succeeded);
    out.printf(
        "%nIn %d seconds %d jobs were enqueued and %d done; %d attempts failed and were retried,"
            + " %d jobs were dead-lettered.%n",
        elapsed().toSeconds(), enqueued, done, total(board::retried), total(board::failed));
    out.flush();
  }

  private static long total(ToLongFunction<String> ofQueue) {
    return DemoTasks.QUEUES.stream().mapToLong(ofQueue).sum();
  }

  private Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - started);
  }
}
