package dev.holdfast.postgres.schema;

import org.flywaydb.core.api.logging.Log;
import org.flywaydb.core.api.logging.LogCreator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs the messages of Flyway at DEBUG while it works for us: a first start logs forty lines, and
 * {@link Migrations} repeats the one that matters.
 *
 * <p>Flyway has one log for the whole process, and the application may use Flyway for its own
 * tables as well. Lines of other threads keep their level.
 */
public final class FlywayLog implements LogCreator {
  private static final ThreadLocal<Boolean> OURS = ThreadLocal.withInitial(() -> false);

  /** Work that uses Flyway. */
  @FunctionalInterface
  interface Work<T> {
    T run();
  }

  static <T> T quietly(Work<T> work) {
    OURS.set(true);
    try {
      return work.run();
    } finally {
      OURS.remove();
    }
  }

  @Override
  public Log createLogger(Class<?> type) {
    return new Lines(LoggerFactory.getLogger(type));
  }

  private record Lines(Logger logger) implements Log {
    @Override
    public void debug(String message) {
      logger.debug("{}", message);
    }

    @Override
    public void info(String message) {
      if (OURS.get()) {
        logger.debug("{}", message);
      } else {
        logger.info("{}", message);
      }
    }

    @Override
    public void warn(String message) {
      logger.warn("{}", message);
    }

    @Override
    public void error(String message) {
      logger.error("{}", message);
    }

    @Override
    public void error(String message, Exception failure) {
      logger.error("{}", message, failure);
    }

    @Override
    public void notice(String message) {
      info(message);
    }
  }
}
