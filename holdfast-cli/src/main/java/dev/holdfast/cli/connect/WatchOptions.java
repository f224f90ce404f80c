package dev.holdfast.cli.connect;

import dev.holdfast.cli.print.DurationConverter;
import java.io.Console;
import java.lang.reflect.InvocationTargetException;
import java.time.Duration;
import picocli.CommandLine.Option;

/** The options of commands that watch something. */
public final class WatchOptions {
  @Option(names = "--plain", description = "Print lines and no pictures, even on a terminal.")
  private boolean plain;

  @Option(
      names = "--patience",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description =
          "How long the server may be unavailable, for example while it restarts. Defaults to 1m.")
  private Duration patience = Duration.ofMinutes(1);

  /** Returns whether to draw over what was printed before. */
  public boolean redraws() {
    return !plain && isTerminal();
  }

  /**
   * Returns how to look again and again.
   *
   * @param topic a topic of the stream of the tenant, such as {@code run:ID}
   * @param longest how long to wait for an event of the stream before looking anyway
   */
  public Polling polling(Session session, String topic, Duration longest) {
    return new Polling(session.changes(topic, longest), patience, session.err());
  }

  /**
   * Returns whether a user sees what is printed. From Java 22 on, there is a console even if the
   * output is a file, so it must be asked.
   */
  @SuppressWarnings("SystemConsoleNull") // Java 21 returns null for a file.
  public static boolean isTerminal() {
    Console console = System.console();
    if (console == null) {
      return false;
    }
    try {
      return (boolean) Console.class.getMethod("isTerminal").invoke(console);
    } catch (NoSuchMethodException java21) {
      return true;
    } catch (IllegalAccessException | InvocationTargetException unknown) {
      return false;
    }
  }
}
