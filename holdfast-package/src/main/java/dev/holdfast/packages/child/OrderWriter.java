package dev.holdfast.packages.child;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Writes orders to the standard input of a process, on a thread of its own. A process that does not
 * read blocks that thread once the pipe is full, and no other thread.
 */
final class OrderWriter implements AutoCloseable {
  private static final int MOST_WAITING = 10_000;

  private final OutputStream out;
  private final BlockingQueue<Orders> waiting = new LinkedBlockingQueue<>(MOST_WAITING);
  private final Thread thread;
  private volatile long writingSince;
  private volatile boolean writing;
  private volatile boolean full;
  private volatile boolean ended;

  OrderWriter(OutputStream out) {
    this.out = out;
    this.thread = Thread.ofPlatform().daemon().name("holdfast-package-orders").start(this::write);
  }

  /** Returns whether the order will be written, if the process reads. */
  boolean tell(Orders order) {
    if (ended) {
      return false;
    }
    if (!waiting.offer(order)) {
      full = true;
      return false;
    }
    return true;
  }

  /** Returns whether a write takes longer than this, or too many orders wait for it. */
  boolean isStuck(Duration atMost) {
    long since = writingSince;
    return full || (writing && System.nanoTime() - since > atMost.toNanos());
  }

  private void write() {
    try {
      while (!ended) {
        byte[] line = (waiting.take().line() + "\n").getBytes(StandardCharsets.UTF_8);
        writingSince = System.nanoTime();
        writing = true;
        out.write(line);
        out.flush();
        writing = false;
      }
    } catch (IOException | InterruptedException over) {
      ended = true; // The process has ended, or is being ended.
    }
  }

  /** Writes nothing more. A write that is under way ends with the process. */
  @Override
  public void close() {
    ended = true;
    thread.interrupt();
  }
}
