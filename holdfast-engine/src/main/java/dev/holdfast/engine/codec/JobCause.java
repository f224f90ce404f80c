package dev.holdfast.engine.codec;

import dev.holdfast.api.internal.StarterTask;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The schedule or trigger that created the job that starts a run. It is stored with the policy of
 * the job, which no store reads, and passed on to the run. Other jobs do not have it.
 *
 * @param fields the fields of the context of the run: {@code schedule}, or {@code trigger} and
 *     {@code event}, as a JSON object
 * @param payload the payload of the job, which is that of the event
 */
public record JobCause(String fields, @Nullable String payload) {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();
  private static final String CAUSE = "cause";

  /**
   * Returns the policy of a job of a schedule.
   *
   * @param policy the policy of the jobs of the schedule; null for none
   * @param due the time for which the job is created; null if the schedule was fired by request
   */
  public static @Nullable String ofSchedule(
      String task, @Nullable String policy, String schedule, @Nullable Instant due) {
    if (!StarterTask.is(task)) {
      return policy;
    }
    ObjectNode fields = MAPPER.createObjectNode();
    ObjectNode own = fields.putObject("schedule").put("name", schedule);
    if (due != null) {
      own.put("due", due.toString());
    }
    return with(policy, fields);
  }

  /**
   * Returns the policy of a job of a trigger; null for none.
   *
   * @param subject what the event is about; null for a trigger without a subject
   */
  public static @Nullable String ofTrigger(
      String task, String trigger, String event, @Nullable JsonNode subject) {
    if (!StarterTask.is(task)) {
      return null;
    }
    ObjectNode fields = MAPPER.createObjectNode();
    fields.putObject("trigger").put("name", trigger);
    ObjectNode own = fields.putObject("event").put("name", event);
    if (subject != null) {
      own.set("subject", subject);
    }
    return with(null, fields);
  }

  private static String with(@Nullable String policy, ObjectNode fields) {
    ObjectNode json =
        policy != null && MAPPER.readTree(policy) instanceof ObjectNode known
            ? known
            : MAPPER.createObjectNode();
    json.set(CAUSE, fields);
    return MAPPER.writeValueAsString(json);
  }

  /** Reads what created a job; empty if neither a schedule nor a trigger did. */
  public static Optional<JobCause> read(@Nullable String policy, @Nullable String payload) {
    if (policy == null) {
      return Optional.empty();
    }
    try {
      return Optional.ofNullable(MAPPER.readTree(policy).get(CAUSE))
          .map(fields -> new JobCause(MAPPER.writeValueAsString(fields), payload));
    } catch (JacksonException unreadable) { // As JobPolicyJson.readAnyhow, which logs it.
      return Optional.empty();
    }
  }
}
