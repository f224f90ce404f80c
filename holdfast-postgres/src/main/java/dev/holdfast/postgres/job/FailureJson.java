package dev.holdfast.postgres.job;

import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.engine.store.FailureSnapshot;
import dev.holdfast.engine.store.Finish;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Converts failed attempts to and from the JSON in the rows. The statement that stores a failure
 * adds the times, in microseconds since 1970. Each failure carries the token of its attempt, which
 * identifies a repeated report.
 */
public final class FailureJson {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private FailureJson() {}

  public static String write(Finish.Failure failure, long token) {
    return MAPPER.writeValueAsString(json(failure).put("token", token));
  }

  /**
   * Returns a failure that no node reported, without a token, so that it cannot match a repeated
   * report.
   */
  public static String writeCrash(Finish.Failure failure) {
    return MAPPER.writeValueAsString(json(failure));
  }

  private static ObjectNode json(Finish.Failure failure) {
    ObjectNode json = MAPPER.createObjectNode();
    json.put("attempt", failure.attempt());
    json.put("code", failure.code());
    json.put("message", failure.message());
    json.put("node", failure.node());
    if (failure.type() != null) {
      json.put("type", failure.type());
    }
    if (failure.stackTrace() != null) {
      json.put("stack", failure.stackTrace());
    }
    return json;
  }

  static List<FailedAttempt> read(@Nullable String text) {
    if (text == null) {
      return List.of();
    }
    List<FailedAttempt> failures = new ArrayList<>();
    for (JsonNode json : MAPPER.readTree(text)) {
      failures.add(
          new FailureSnapshot(
              json.path("attempt").asInt(),
              json.path("code").asString(),
              textOrNull(json.get("type")),
              json.path("message").asString(),
              textOrNull(json.get("stack")),
              json.path("node").asString(),
              json.path("startedAt").isNumber() ? instant(json.path("startedAt")) : null,
              instant(json.path("failedAt"))));
    }
    return failures;
  }

  private static @Nullable String textOrNull(@Nullable JsonNode json) {
    return json == null || json.isNull() ? null : json.asString();
  }

  private static Instant instant(JsonNode micros) {
    return Instant.EPOCH.plus(micros.asLong(), ChronoUnit.MICROS);
  }
}
