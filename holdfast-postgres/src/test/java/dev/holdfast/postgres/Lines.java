package dev.holdfast.postgres;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.holdfast.engine.held.LogContext;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Records log lines with their node. */
public final class Lines extends AppenderBase<ILoggingEvent> implements AutoCloseable {
  private final List<Line> all = new CopyOnWriteArrayList<>();
  private final Logger logger;

  /** One line. */
  public record Line(
      Level level, String logger, String text, @Nullable String node, @Nullable String name) {}

  private Lines(String name) {
    this.logger = (Logger) LoggerFactory.getLogger(name);
  }

  /** Records the lines of this logger and its children, from INFO up. */
  public static Lines of(String name) {
    Lines lines = new Lines(name);
    lines.start();
    lines.logger.setLevel(Level.INFO);
    lines.logger.addAppender(lines);
    return lines;
  }

  public List<Line> all() {
    return all;
  }

  public List<String> texts(Level level) {
    return all.stream().filter(line -> line.level().equals(level)).map(Line::text).toList();
  }

  @Override
  protected void append(ILoggingEvent event) {
    all.add(
        new Line(
            event.getLevel(),
            event.getLoggerName(),
            event.getFormattedMessage(),
            event.getMDCPropertyMap().get(LogContext.NODE),
            event.getMDCPropertyMap().get(LogContext.NAME)));
  }

  @Override
  public void close() {
    logger.detachAppender(this);
    logger.setLevel(null);
  }
}
