package dev.holdfast.engine.node;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/** Records what a class logs during a test. */
public final class Logged implements BeforeEachCallback, AfterEachCallback {
  private final Logger logger;
  private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

  private Logged(Logger logger) {
    this.logger = logger;
  }

  /** Records the log of this class. */
  public static Logged by(Class<?> speaker) {
    return new Logged((Logger) LoggerFactory.getLogger(speaker));
  }

  public List<ILoggingEvent> events() {
    return appender.list;
  }

  public List<String> messages() {
    return appender.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    appender.start();
    logger.addAppender(appender);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    logger.detachAppender(appender);
  }
}
