package dev.holdfast.engine.codec;

import dev.holdfast.api.job.JobLogLine;
import dev.holdfast.api.job.JobProgress;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What the handler of a job reported while it ran, stored as JSON that stores do not read.
 *
 * @param progress the latest progress; null if none was reported
 * @param log the last lines, oldest first
 */
public record JobNotes(@Nullable JobProgress progress, List<JobLogLine> log) {
  public static final JobNotes NONE = new JobNotes(null, List.of());

  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  /** Escapes what cannot be stored: a handler may have cut its text anywhere. */
  private static final JsonCodec JSON = new JsonCodec(MAPPER);

  public JobNotes {
    log = List.copyOf(log);
  }

  /** Reads stored notes. Notes that cannot be read are dropped: no job depends on them. */
  public static JobNotes read(@Nullable String text) {
    if (text == null) {
      return NONE;
    }
    try {
      JsonNode json = MAPPER.readTree(text);
      List<JobLogLine> log = new ArrayList<>();
      for (JsonNode line : json.path("log")) {
        log.add(
            new JobLogLine(
                Instant.parse(line.path("at").asString()),
                line.path("attempt").asInt(),
                line.path("text").asString()));
      }
      JsonNode progress = json.path("progress");
      return new JobNotes(progress.isObject() ? progress(progress) : null, log);
    } catch (JacksonException | DateTimeException unreadable) {
      return NONE;
    }
  }

  private static JobProgress progress(JsonNode json) {
    return new JobProgress(
        json.path("done").asLong(),
        json.path("total").asLong(),
        json.path("message").asString(),
        Instant.parse(json.path("at").asString()));
  }

  /** Returns the notes as they are stored. */
  public String write() {
    ObjectNode json = MAPPER.createObjectNode();
    if (progress != null) {
      ObjectNode part = json.putObject("progress");
      part.put("done", progress.done());
      part.put("total", progress.total());
      part.put("message", progress.message());
      part.put("at", progress.reportedAt().toString());
    }
    if (!log.isEmpty()) {
      ArrayNode lines = json.putArray("log");
      for (JobLogLine line : log) {
        ObjectNode part = lines.addObject();
        part.put("at", line.at().toString());
        part.put("attempt", line.attempt());
        part.put("text", line.text());
      }
    }
    return JSON.encode(json);
  }
}
