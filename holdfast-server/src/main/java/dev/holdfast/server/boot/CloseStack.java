package dev.holdfast.server.boot;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What has been started, to be closed in the reverse order. */
final class CloseStack implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(CloseStack.class);

  private final Deque<Runnable> closing = new ArrayDeque<>();

  synchronized void push(Runnable close) {
    closing.push(close);
  }

  private synchronized @Nullable Runnable next() {
    return closing.poll();
  }

  /** Closes everything, each part once, even if some parts cannot be closed. */
  @Override
  public void close() {
    for (Runnable next = next(); next != null; next = next()) {
      try {
        next.run();
      } catch (RuntimeException failure) {
        log.warn(
            "A part of the server could not be closed, closing the others: {}", failure, failure);
      }
    }
  }
}
