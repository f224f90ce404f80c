package dev.holdfast.cli.ops;

import java.util.OptionalInt;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** Limits a queue. */
@Command(
    name = "limit",
    description = "Limit how many jobs of a queue the whole cluster holds at once.")
public final class LimitCommand extends ClientCommand {

  @Parameters(
      index = "0",
      paramLabel = "QUEUE",
      converter = QueueConverter.class,
      description = "The queue.")
  @SuppressWarnings("NullAway.Init")
  private String queue;

  @Parameters(
      index = "1",
      paramLabel = "MOST",
      converter = LimitConverter.class,
      description = "How many jobs at most, or 'none' to take the limit away.")
  private OptionalInt most = OptionalInt.empty();

  @Override
  int ask(Session session) {
    if (most.isEmpty()) {
      session.client().queues().unlimit(queue);
      return session.answer(true, "Queue '%s' has no limit.".formatted(queue));
    }
    session.client().queues().limit(queue, most.getAsInt());
    return session.answer(
        true, "Queue '%s' is limited to %d jobs at once.".formatted(queue, most.getAsInt()));
  }

  /** Reads a number of jobs, or none. */
  static final class LimitConverter implements ITypeConverter<OptionalInt> {
    @Override
    public OptionalInt convert(String text) {
      if (text.equals("none")) {
        return OptionalInt.empty();
      }
      if (!text.matches("[1-9][0-9]{0,8}")) {
        throw new TypeConversionException(
            "'%s' is not a limit: give a number from 1 on, or 'none'.".formatted(text));
      }
      return OptionalInt.of(Integer.parseInt(text));
    }
  }
}
