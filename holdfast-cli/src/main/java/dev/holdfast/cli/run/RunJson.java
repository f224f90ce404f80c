package dev.holdfast.cli.run;

import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.cli.connect.ApiException;
import dev.holdfast.cli.connect.ExitCode;
import dev.holdfast.cli.connect.Session;
import dev.holdfast.cli.graph.Elapsed;
import dev.holdfast.cli.graph.Picture;
import dev.holdfast.cli.graph.StepProgress;
import dev.holdfast.cli.print.Value;
import dev.holdfast.engine.store.Definitions;
import dev.holdfast.engine.workflow.Graph;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads runs and graphs from the JSON of the API. */
public final class RunJson {

  private RunJson() {}

  /** Returns the state of a run. */
  static RunState state(JsonNode run) {
    return RunState.valueOf(Value.text(run, "state"));
  }

  /** Returns a run as a picture. */
  public static Picture picture(Session session, JsonNode run, Instant now) {
    return picture(graph(session, run), run, now);
  }

  /** Returns a run as a picture. */
  static Picture picture(Graph graph, JsonNode run, Instant now) {
    return Picture.of(graph, steps(run), now);
  }

  /** Returns the graph that a run pins. */
  static Graph graph(Session session, JsonNode run) {
    return graph(session, Value.text(run, "workflow"), Value.text(run, "definition"));
  }

  /**
   * Returns a version of a workflow.
   *
   * @param hash its hash; null for the latest
   */
  public static Graph graph(Session session, String workflow, @Nullable String hash) {
    return session.all(session.path("workflows", workflow), "versions").stream()
        .filter(version -> hash == null || Value.text(version, "hash").equals(hash))
        .findFirst()
        .map(version ->
            Graph.of(
                new Definitions.Definition(
                    Value.text(version, "hash"),
                    workflow,
                    Definitions.NEWEST_FORMAT,
                    version.get("graph").toString())))
        .orElseThrow(() ->
            ApiException.refused(
                ExitCode.NOT_FOUND,
                "Version %s of workflow '%s' is not stored.".formatted(hash, workflow)));
  }

  private static Map<String, StepProgress> steps(JsonNode run) {
    Map<String, StepProgress> steps = new LinkedHashMap<>();
    run.get("steps")
        .forEach(step ->
            steps.put(
                Value.text(step, "name"),
                new StepProgress(
                    StepState.valueOf(Value.text(step, "state")),
                    items(Value.of(step, "map")),
                    Value.instant(step, "startedAt"),
                    Value.instant(step, "endedAt"),
                    step.get("attempts").intValue())));
    return steps;
  }

  private static String items(@Nullable JsonNode map) {
    if (map == null) {
      return "";
    }
    int failed = map.get("failed").intValue();
    return "%s/%s%s"
        .formatted(
            Value.text(map, "succeeded"),
            Value.text(map, "total"),
            failed == 0 ? "" : ", %d failed".formatted(failed));
  }

  /** How many steps of a run there are and how many have ended. */
  record Steps(long ended, long all) {
    /** Counts without compensations, most of which never run. */
    static Steps of(JsonNode run) {
      long ended = 0;
      long all = 0;
      for (JsonNode step : run.get("steps")) {
        StepState state = StepState.valueOf(Value.text(step, "state"));
        if (!Value.text(step, "kind").equals("compensation") || state != StepState.PENDING) {
          all++;
          ended += state.hasEnded() ? 1 : 0;
        }
      }
      return new Steps(ended, all);
    }

    @Override
    public String toString() {
      return "%d of %d".formatted(ended, all);
    }
  }

  /** Returns how long a run took; empty if it has not ended. */
  static String took(JsonNode run) {
    Instant created = Value.instant(run, "createdAt");
    Instant ended = Value.instant(run, "endedAt");
    return created == null || ended == null
        ? ""
        : " after " + Elapsed.of(Duration.between(created, ended));
  }
}
