package dev.holdfast.cli.connect;

import dev.holdfast.api.HoldfastException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * Polls until there is nothing more to see. While a server is unavailable it waits, because
 * watching changes nothing.
 */
public final class Polling {
  private final Changes changes;
  private final Duration patience;
  private final PrintWriter err;

  /**
   * @param changes when to look; closed when there is nothing more to see
   * @param patience how long a server may be unavailable
   */
  public Polling(Changes changes, Duration patience, PrintWriter err) {
    this.changes = changes;
    this.patience = patience;
    this.err = err;
  }

  /**
   * Looks until the given look returns true.
   *
   * @throws ApiException if the server is unavailable for too long
   */
  public void until(BooleanSupplier look) {
    try (changes) {
      lookUntil(look);
    }
  }

  private void lookUntil(BooleanSupplier look) {
    long away = 0;
    while (true) {
      try {
        if (look.getAsBoolean()) {
          return;
        }
        away = 0;
      } catch (ApiException failure) {
        if (failure.exitCode() != ExitCode.UNAVAILABLE) {
          throw failure;
        }
        long now = System.nanoTime();
        if (away == 0) {
          away = now;
          err.println(
              "%s Waiting for it for %d s ..."
                  .formatted(failure.getMessage(), patience.toSeconds()));
          err.flush();
        }
        if (now - away > patience.toNanos()) {
          throw failure;
        }
      }
      awaitChange();
    }
  }

  private void awaitChange() {
    try {
      changes.await();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new HoldfastException("Stopped watching.", stopped);
    }
  }
}
