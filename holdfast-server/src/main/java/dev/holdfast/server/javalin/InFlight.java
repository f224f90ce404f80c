package dev.holdfast.server.javalin;

import java.time.Duration;

/** Counts the requests that are being served, so that a server can wait for them when it stops. */
final class InFlight {
  private int count;
  private boolean abandoned;

  synchronized void start() {
    count++;
  }

  synchronized void end() {
    count--;
    notifyAll();
  }

  /**
   * Waits until no request is being served.
   *
   * @return whether that is so; false after the given time, or if the wait was abandoned
   */
  synchronized boolean await(Duration atMost) throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (count > 0 && !abandoned) {
      long left = (deadline - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        return false;
      }
      wait(left);
    }
    return count == 0;
  }

  /** Ends the wait. */
  synchronized void abandon() {
    abandoned = true;
    notifyAll();
  }
}
