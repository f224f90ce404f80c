package dev.holdfast.engine.schedule;

import dev.holdfast.api.codec.CodecException;
import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.schedule.Misfire;
import dev.holdfast.api.schedule.Recurrence;
import dev.holdfast.api.schedule.Recurring;
import dev.holdfast.api.schedule.Schedule;
import dev.holdfast.api.schedule.Timing;
import dev.holdfast.api.task.TaskType;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import org.jspecify.annotations.Nullable;

/** Reads {@link Recurring} annotations. */
public final class RecurringReader {
  private final PayloadCodec codec;

  public RecurringReader(PayloadCodec codec) {
    this.codec = codec;
  }

  /**
   * Returns the schedule that an annotation declares.
   *
   * @throws IllegalArgumentException if a part of it is not valid
   */
  public Schedule read(Recurring declared, TaskType<?, ?> type) {
    return new Schedule(
        declared.id(),
        type,
        payload(declared, type),
        new Recurrence(
            timing(declared),
            Misfire.parse(declared.misfire()),
            declared.overlap(),
            Timing.duration("Jitter", declared.jitter()),
            instant(declared.from()),
            instant(declared.until())),
        type.defaults().with(options -> change(options, declared)));
  }

  private static JobOptions.Builder change(JobOptions.Builder options, Recurring declared) {
    if (!declared.queue().isEmpty()) {
      options.queue(declared.queue());
    }
    if (declared.priority() != -1) {
      options.priority(declared.priority());
    }
    if (declared.tags().length > 0) {
      options.tags(declared.tags());
    }
    return options;
  }

  private static Timing timing(Recurring declared) {
    if (declared.cron().isEmpty() == declared.every().isEmpty()) {
      throw new IllegalArgumentException(
          "@Recurring '%s' has no valid timing: set either cron or every."
              .formatted(declared.id()));
    }
    return declared.every().isEmpty()
        ? new Timing.Cron(declared.cron(), Timing.zone(declared.zone()))
        : new Timing.Every(Timing.duration("Interval", declared.every()));
  }

  private Object payload(Recurring declared, TaskType<?, ?> type) {
    Object payload;
    try {
      payload = codec.decode(declared.payload(), type.payload());
    } catch (CodecException wrong) {
      throw unreadable(declared, type, wrong);
    }
    if (payload == null) {
      throw unreadable(declared, type, null);
    }
    return payload;
  }

  private static IllegalArgumentException unreadable(
      Recurring declared, TaskType<?, ?> type, @Nullable CodecException cause) {
    return new IllegalArgumentException(
        "The payload '%s' of @Recurring '%s' cannot be read as %s: use a text that task '%s' can read."
            .formatted(declared.payload(), declared.id(), type.payload().simpleName(), type.name()),
        cause);
  }

  private static @Nullable Instant instant(String text) {
    try {
      return text.isEmpty() ? null : Instant.parse(text);
    } catch (DateTimeParseException wrong) {
      throw new IllegalArgumentException(
          "Time '%s' is not valid: use an ISO-8601 instant such as 2027-01-01T00:00:00Z."
              .formatted(text),
          wrong);
    }
  }
}
