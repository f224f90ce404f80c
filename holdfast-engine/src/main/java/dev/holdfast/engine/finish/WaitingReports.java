package dev.holdfast.engine.finish;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Reports that the Completer has not taken yet, bounded by number and by size. When the bound is
 * reached, the threads of ended attempts wait and keep their slots: so a node whose store is
 * unavailable stops claiming instead of running out of memory.
 */
final class WaitingReports {
  static final int MOST = 10_000;

  /** In characters, payloads included. A single report may be larger. */
  static final long LARGEST = 64L << 20;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition room = lock.newCondition();
  private final Queue<Report> reports = new ArrayDeque<>();
  private long size;

  /** Adds a report, as soon as there is room. Interruption does not end the wait. */
  void put(Report report) {
    lock.lock();
    try {
      while (reports.size() >= MOST || (!reports.isEmpty() && size + report.size > LARGEST)) {
        room.awaitUninterruptibly(); // The report must not get lost; the interrupt stays pending.
      }
      reports.add(report);
      size += report.size;
    } finally {
      lock.unlock();
    }
  }

  @Nullable Report poll() {
    lock.lock();
    try {
      Report report = reports.poll();
      if (report != null) {
        size -= report.size;
        room.signalAll();
      }
      return report;
    } finally {
      lock.unlock();
    }
  }

  int count() {
    lock.lock();
    try {
      return reports.size();
    } finally {
      lock.unlock();
    }
  }
}
