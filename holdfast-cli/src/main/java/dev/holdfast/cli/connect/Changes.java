package dev.holdfast.cli.connect;

import java.time.Duration;

/** Tells a command that watches something when to look again. */
public interface Changes extends AutoCloseable {

  /**
   * Waits until something may have changed.
   *
   * @throws InterruptedException if the calling thread is interrupted
   */
  void await() throws InterruptedException;

  @Override
  void close();

  /** Returns changes that are supposed again and again, after this time. */
  static Changes every(Duration interval) {
    return new Changes() {
      @Override
      public void await() throws InterruptedException {
        Thread.sleep(interval);
      }

      @Override
      public void close() {}
    };
  }
}
