package dev.holdfast.server.api;

import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunItem;
import dev.holdfast.api.workflow.RunStep;
import dev.holdfast.server.http.JsonText;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Runs as JSON. */
public final class RunView {
  private RunView() {}

  /**
   * Returns a run.
   *
   * @param visible what the caller may see of it
   */
  static ObjectNode run(Run run, Visible visible) {
    ArrayNode steps = JsonText.array();
    run.steps().forEach(step -> steps.add(step(step, visible)));
    JsonText.Obj view =
        JsonText.object()
            .putText("id", run.id())
            .put("workflow", run.workflow())
            .put("definition", run.definition())
            .putText("state", run.state())
            .putText("reason", run.reason())
            .putText("label", run.label())
            .set("tags", JsonText.texts(new TreeSet<>(run.tags())))
            .putText("uniqueKey", run.uniqueKey())
            .putText("parent", run.parent())
            .putText("origin", run.origin())
            .put("createdAt", run.createdAt())
            .putText("endedAt", run.endedAt())
            .put("bytes", run.bytes())
            .set("steps", steps);
    if (visible.payloads()) {
      view.set("input", json(run.input())).set("result", json(run.result()));
    }
    return view.done();
  }

  /** Returns how many characters of data a run has. */
  static long characters(Run run) {
    return length(run.input())
        + length(run.result())
        + run.steps().stream()
            .mapToLong(step ->
                length(step.input()) + length(step.output()) + JobView.characters(step.failures()))
            .sum();
  }

  /** Returns how many characters of data an element of a map has. */
  static long characters(RunItem item) {
    return item.input().length() + length(item.output());
  }

  private static long length(Optional<String> text) {
    return text.map(String::length).orElse(0);
  }

  private static @Nullable JsonNode json(Optional<String> text) {
    return text.map(JsonText::orString).orElse(null);
  }

  private static ObjectNode step(RunStep step, Visible visible) {
    JsonText.Obj view =
        JsonText.object()
            .put("name", step.name())
            .put("label", step.label())
            .put("kind", step.kind())
            .putText("task", step.task())
            .set("after", JsonText.texts(step.after()))
            .putText("state", step.state())
            .putText("job", step.job())
            .putText("child", step.child())
            .putText("startedAt", step.startedAt())
            .putText("endedAt", step.endedAt())
            .put("attempts", step.attempts())
            .set("failures", JobView.failures(step.failures(), visible))
            .putText("failure", step.failure())
            .putText("waitsFor", step.waitsFor())
            .set("map", step.map().map(RunView::map).orElse(null));
    if (visible.payloads()) {
      view.set("input", json(step.input())).set("output", json(step.output()));
    }
    return view.done();
  }

  private static ObjectNode map(RunStep.MapProgress map) {
    return JsonText.object()
        .put("total", map.total())
        .put("succeeded", map.succeeded())
        .put("failed", map.failed())
        .put("cancelled", map.cancelled())
        .done();
  }

  /**
   * Returns an element of a map.
   *
   * @param payloads whether the caller may see the element, which its label is taken from
   */
  static ObjectNode item(RunItem item, boolean payloads) {
    JsonText.Obj view =
        JsonText.object()
            .put("position", item.position())
            .putText("state", item.state())
            .putText("failure", item.failure());
    if (payloads) {
      view.put("label", item.label())
          .set("input", JsonText.orString(item.input()))
          .set("output", json(item.output()));
    }
    return view.done();
  }

  /** Returns an event of a run. */
  public static ObjectNode event(RunEvent event) {
    return JsonText.object()
        .put("seq", event.seq())
        .put("at", event.at())
        .putText("kind", event.kind())
        .put("step", event.step())
        .put("detail", event.detail())
        .done();
  }
}
