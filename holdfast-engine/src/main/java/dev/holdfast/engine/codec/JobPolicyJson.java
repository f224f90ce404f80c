package dev.holdfast.engine.codec;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.policy.Backoff;
import dev.holdfast.api.policy.CrashPolicy;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.policy.RetryPolicy.Rule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Converts a {@link JobPolicy} to and from the JSON that is stored. Durations are ISO-8601 text.
 * The format contains no class names, which is why retry rules by exception type cannot be stored.
 */
public final class JobPolicyJson {
  private static final Logger log = LoggerFactory.getLogger(JobPolicyJson.class);
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private JobPolicyJson() {}

  /** Writes a policy; null for one without settings. */
  public static @Nullable String write(JobPolicy policy) {
    if (policy.equals(JobPolicy.NONE)) {
      return null;
    }
    ObjectNode json = MAPPER.createObjectNode();
    if (policy.retry() != null) {
      json.set("retry", retryJson(policy.retry()));
    }
    if (policy.timeout() != null) {
      json.put("timeout", policy.timeout().toString());
    }
    if (policy.heartbeatTimeout() != null) {
      json.put("heartbeatTimeout", policy.heartbeatTimeout().toString());
    }
    if (policy.keepResult() != null) {
      json.put("keepResult", policy.keepResult().toString());
    }
    if (policy.crash() != null) {
      json.put("onCrash", text(policy.crash().action()));
      json.put("maxCrashes", policy.crash().maxCrashes());
      if (policy.crash().maxFencings() != CrashPolicy.DEFAULT.maxFencings()) {
        json.put("maxFencings", policy.crash().maxFencings());
      }
    }
    return MAPPER.writeValueAsString(json);
  }

  /**
   * Reads a policy.
   *
   * @throws RuntimeException if a part of it cannot be read; the message names the part
   */
  public static JobPolicy read(@Nullable String text) {
    if (text == null) {
      return JobPolicy.NONE;
    }
    JsonNode json = MAPPER.readTree(text);
    return new JobPolicy(
        retry(json.get("retry")),
        duration(json.get("timeout")),
        duration(json.get("heartbeatTimeout")),
        duration(json.get("keepResult")),
        crash(json));
  }

  /**
   * Reads the parts of the policy of a job that this version can read. Each other part is logged,
   * and that of the task is used instead. The exception is the crash policy: if it cannot be read,
   * the job fails at a crash, because to run it again may be what the policy should prevent.
   *
   * @param whose the job, for the log
   */
  public static JobPolicy readAnyhow(@Nullable String text, JobId whose) {
    try {
      return read(text);
    } catch (RuntimeException unreadable) {
      log.warn(
          "The policy of job {} cannot be read and was probably written by a newer version; the"
              + " job uses what this version can read of it, and otherwise the policy of its task:"
              + " {}",
          whose,
          unreadable.toString());
    }
    return readableParts(Objects.requireNonNull(text));
  }

  private static JobPolicy readableParts(String text) {
    return new JobPolicy(
        part(text, json -> retry(json.get("retry")), null),
        part(text, json -> duration(json.get("timeout")), null),
        part(text, json -> duration(json.get("heartbeatTimeout")), null),
        part(text, json -> duration(json.get("keepResult")), null),
        part(text, JobPolicyJson::crash, CrashPolicy.fail()));
  }

  private static <T> @Nullable T part(
      String text, Function<JsonNode, @Nullable T> read, @Nullable T otherwise) {
    try {
      return read.apply(MAPPER.readTree(text));
    } catch (RuntimeException logged) { // By the caller, which tried to read all parts.
      return otherwise;
    }
  }

  /** Returns the stored text of an action. */
  private static String text(CrashPolicy.Action action) {
    return switch (action) {
      case RETRY -> "RETRY";
      case FAIL -> "FAIL";
      case DECIDED_BY_TASK -> "ASK";
    };
  }

  private static CrashPolicy.Action action(String text) {
    for (CrashPolicy.Action action : CrashPolicy.Action.values()) {
      if (text(action).equals(text)) {
        return action;
      }
    }
    throw new IllegalArgumentException(
        "Action '%s' after a crash is unknown: upgrade this node.".formatted(text));
  }

  private static @Nullable CrashPolicy crash(JsonNode json) {
    if (!json.has("onCrash")) {
      return null;
    }
    return new CrashPolicy(
        action(json.get("onCrash").stringValue()),
        json.get("maxCrashes").intValue(),
        json.path("maxFencings").intValue(CrashPolicy.DEFAULT.maxFencings()));
  }

  private static ObjectNode retryJson(RetryPolicy retry) {
    ObjectNode json = MAPPER.createObjectNode();
    json.put("maxAttempts", retry.maxAttempts());
    json.put("jitter", retry.jitter());
    json.set("backoff", backoffJson(retry.backoff()));
    for (Rule rule : retry.rules()) {
      switch (rule) {
        case Rule.OnCode(String code, Optional<Backoff> backoff) -> {
          ObjectNode entry = json.withArray("rules").addObject().put("code", code);
          backoff.ifPresent(b -> entry.set("backoff", backoffJson(b)));
        }
        case Rule.OnType(Class<? extends Throwable> type, var unused) ->
            throw new IllegalArgumentException(
                "A retry rule on exception type %s cannot be stored with a job, since class names are not stored: set it on the task type, or use a rule on a failure code."
                    .formatted(type.getSimpleName()));
      }
    }
    return json;
  }

  private static @Nullable RetryPolicy retry(@Nullable JsonNode json) {
    if (json == null) {
      return null;
    }
    List<Rule> rules = new ArrayList<>();
    json.path("rules").forEach(rule -> rules.add(rule(rule)));
    return new RetryPolicy(
        json.get("maxAttempts").intValue(),
        backoff(json.get("backoff")),
        json.get("jitter").doubleValue(),
        rules);
  }

  private static Rule rule(JsonNode json) {
    if (!json.has("code")) {
      throw new IllegalArgumentException(
          "Retry rule %s is of an unknown kind: upgrade this node.".formatted(json));
    }
    return new Rule.OnCode(
        json.get("code").stringValue(),
        Optional.ofNullable(json.get("backoff")).map(JobPolicyJson::backoff));
  }

  private static ObjectNode backoffJson(Backoff backoff) {
    ObjectNode json = MAPPER.createObjectNode();
    return switch (backoff) {
      case Backoff.Fixed(Duration delay) -> json.put("fixed", delay.toString());
      case Backoff.Linear(Duration step, Duration cap) ->
          json.put("linear", step.toString()).put("cap", cap.toString());
      case Backoff.Exponential(Duration first, double factor, Duration cap) ->
          json.put("exponential", first.toString())
              .put("factor", factor)
              .put("cap", cap.toString());
    };
  }

  private static Backoff backoff(JsonNode json) {
    if (json.has("fixed")) {
      return Backoff.fixed(requiredDuration(json, "fixed"));
    }
    if (json.has("linear")) {
      return Backoff.linear(requiredDuration(json, "linear"), requiredDuration(json, "cap"));
    }
    if (json.has("exponential")) {
      return Backoff.exponential(
          requiredDuration(json, "exponential"),
          json.get("factor").doubleValue(),
          requiredDuration(json, "cap"));
    }
    throw new IllegalArgumentException(
        "Backoff %s is of an unknown kind: upgrade this node.".formatted(json));
  }

  private static Duration requiredDuration(JsonNode json, String field) {
    return Duration.parse(json.get(field).stringValue());
  }

  private static @Nullable Duration duration(@Nullable JsonNode json) {
    return json == null ? null : Duration.parse(json.stringValue());
  }
}
