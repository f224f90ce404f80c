package dev.holdfast.server.api;

import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.server.http.Code;
import dev.holdfast.server.http.Fields;
import dev.holdfast.server.http.JsonText;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads the options of jobs. */
final class JobFields {
  private static final Duration FIRST_DELAY = Duration.ofSeconds(2);

  private JobFields() {}

  /** Reads a payload; an empty object if it is absent. */
  static JsonNode payload(Fields fields) {
    JsonNode payload = fields.json("payload");
    return payload == null ? JsonText.object().done() : payload;
  }

  /**
   * Reads options.
   *
   * @param timed whether a delay and a unique key are possible
   */
  static Consumer<JobOptions.Builder> options(Fields fields, boolean timed) {
    String queue = fields.textOr("queue", null);
    Integer priority = fields.integer("priority");
    List<String> tags = fields.texts("tags");
    Duration timeout = fields.duration("timeout");
    Duration heartbeat = fields.duration("heartbeatTimeout");
    Duration startWithin = fields.duration("startWithin");
    Duration keepResult = fields.duration("keepResult");
    RetryPolicy retry = retry(fields.object("retry"));
    Duration runIn = timed ? fields.duration("runIn") : null;
    Instant runAt = timed ? fields.instant("runAt") : null;
    UniqueKey unique = timed ? unique(fields.object("unique")) : null;
    if (runIn != null && runAt != null) {
      throw Code.INVALID_REQUEST.because("Give either runIn or runAt, not both.");
    }
    return job -> {
      set(queue, job::queue);
      set(priority, job::priority);
      if (!tags.isEmpty()) {
        job.tags(tags);
      }
      set(timeout, job::timeout);
      set(heartbeat, job::heartbeatTimeout);
      set(startWithin, job::startWithin);
      set(keepResult, job::keepResult);
      set(retry, job::retry);
      set(runIn, job::runIn);
      set(runAt, job::runAt);
      set(unique, job::unique);
    };
  }

  private static <T> void set(@Nullable T value, Consumer<T> setter) {
    if (value != null) {
      setter.accept(value);
    }
  }

  /** Reads a unique key. */
  static @Nullable UniqueKey unique(@Nullable Fields fields) {
    if (fields == null) {
      return null;
    }
    String key = fields.text("key");
    Duration window = fields.duration("window");
    UniqueKey.OnConflict conflict = fields.oneOf("onConflict", UniqueKey.OnConflict.class);
    fields.noOthers();
    return key.isEmpty()
        ? null
        : new UniqueKey(
            key, window, conflict == null ? UniqueKey.OnConflict.RETURN_EXISTING : conflict);
  }

  private static @Nullable RetryPolicy retry(@Nullable Fields fields) {
    if (fields == null) {
      return null;
    }
    Integer attempts = fields.integer("maxAttempts");
    Duration first = fields.duration("firstDelay");
    fields.noOthers();
    RetryPolicy policy = RetryPolicy.exponential(first == null ? FIRST_DELAY : first);
    return attempts == null ? policy : policy.maxAttempts(attempts);
  }
}
