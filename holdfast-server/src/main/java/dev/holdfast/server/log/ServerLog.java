package dev.holdfast.server.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.Encoder;
import dev.holdfast.engine.codec.Redactor;
import dev.holdfast.engine.held.LogContext;
import dev.holdfast.engine.held.NodeIdentity;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** The log of this process. Has no effect where another library than Logback writes it. */
public final class ServerLog {
  /** The key of the mapped diagnostic context for the id of a request. */
  public static final String REQUEST = "holdfast.request";

  private static final Set<String> LEVELS =
      Set.of("OFF", "ERROR", "WARN", "INFO", "DEBUG", "TRACE");

  /** Hides secrets in every line, in whatever way a handler got them there. */
  private static final Redactor REDACTOR = new Redactor();

  /** Its lines at INFO, several for each pool, tell operators nothing. */
  private static final String POOLS = "com.zaxxer.hikari";

  private ServerLog() {}

  /** Hides a value in all lines from now on. */
  public static void hide(String value) {
    REDACTOR.hide(value);
  }

  /** How lines are written. */
  public enum Format {
    /** Plain text. */
    TEXT,
    /** One JSON object in each line. */
    JSON
  }

  /**
   * Writes the log to standard error in a format. A file in {@code -Dlogback.configurationFile}
   * takes precedence.
   */
  public static void start(Format format) {
    if (System.getProperty("logback.configurationFile") != null) {
      return;
    }
    LoggerContext context = context();
    if (context == null) {
      return;
    }
    ConsoleAppender<ILoggingEvent> console = new ConsoleAppender<>();
    console.setTarget("System.err");
    attach(context, console, format);
    Logger pools = context.getLogger(POOLS);
    if (pools.getLevel() == null) {
      pools.setLevel(Level.WARN);
    }
  }

  /** Writes the log somewhere else too, until the result is closed. */
  static AutoCloseable copyTo(OutputStream out, Format format) {
    LoggerContext context = context();
    if (context == null) {
      return () -> {};
    }
    OutputStreamAppender<ILoggingEvent> copy = new OutputStreamAppender<>();
    prepare(context, copy, format);
    copy.setOutputStream(out);
    copy.start();
    Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    root.addAppender(copy);
    return () -> root.detachAppender(copy);
  }

  private static void attach(
      LoggerContext context, OutputStreamAppender<ILoggingEvent> appender, Format format) {
    prepare(context, appender, format);
    appender.start();
    Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    root.detachAndStopAllAppenders();
    root.addAppender(appender);
  }

  private static void prepare(
      LoggerContext context, OutputStreamAppender<ILoggingEvent> appender, Format format) {
    String process = NodeIdentity.hostName() + "-" + ProcessHandle.current().pid();
    Encoder<ILoggingEvent> encoder =
        switch (format) {
          case JSON -> new JsonLines(process);
          case TEXT -> lines(process);
        };
    encoder.setContext(context);
    encoder.start();
    appender.setContext(context);
    appender.setEncoder(new RedactingEncoder(encoder, REDACTOR));
  }

  private static PatternLayoutEncoder lines(String process) {
    PatternLayoutEncoder lines = new PatternLayoutEncoder();
    lines.setCharset(StandardCharsets.UTF_8);
    lines.setPattern(
        "%%d{HH:mm:ss.SSS} %%-5level [%%X{%s:-%s}] [%%X{%s:-no job}] %%logger{20} - %%msg%%n"
            .formatted(LogContext.NODE, process.replace("%", "").replace("}", ""), LogContext.JOB));
    return lines;
  }

  /**
   * Sets the level of a logger and of those below it.
   *
   * @param logger its name, such as {@code dev.holdfast}; {@code ROOT} for all
   * @param level a level; null to use that of the logger above it
   * @throws IllegalArgumentException if there is no such level, or the root would have none
   */
  public static void level(String logger, @Nullable String level) {
    Level wanted = level == null ? null : parse(level);
    if (wanted == null && logger.equals(Logger.ROOT_LOGGER_NAME)) {
      throw new IllegalArgumentException("The root logger needs a level.");
    }
    LoggerContext context = context();
    if (context != null) {
      context.getLogger(logger).setLevel(wanted);
    }
  }

  /** Returns whether there is a level with this name. */
  public static boolean isLevel(String text) {
    return LEVELS.contains(text.toUpperCase(Locale.ROOT));
  }

  private static Level parse(String text) {
    Level level = isLevel(text) ? Level.toLevel(text) : null;
    if (level == null) {
      throw new IllegalArgumentException(
          "Level '%s' is not valid: give OFF, ERROR, WARN, INFO, DEBUG or TRACE.".formatted(text));
    }
    return level;
  }

  /** Returns the loggers that have their own level, with it. */
  public static Map<String, String> levels() {
    Map<String, String> levels = new TreeMap<>();
    LoggerContext context = context();
    if (context != null) {
      for (Logger logger : context.getLoggerList()) {
        if (logger.getLevel() != null) {
          levels.put(logger.getName(), logger.getLevel().toString());
        }
      }
    }
    return levels;
  }

  private static @Nullable LoggerContext context() {
    return LoggerFactory.getILoggerFactory() instanceof LoggerContext context ? context : null;
  }
}
