package dev.holdfast.engine.workflow;

import dev.holdfast.api.workflow.MaxActive;
import dev.holdfast.api.workflow.OnError;
import dev.holdfast.engine.codec.CanonicalJson;
import dev.holdfast.engine.store.Definitions;
import dev.holdfast.engine.workflow.Graph.Input;
import dev.holdfast.engine.workflow.Graph.JobTemplate;
import dev.holdfast.engine.workflow.Graph.Node;
import dev.holdfast.engine.workflow.Graph.Part;
import dev.holdfast.engine.workflow.Graph.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Converts a {@link Graph} to and from the JSON that is stored. Equal graphs have the same text and
 * therefore the same hash. Fields that are null or have their default are left out. Durations are
 * ISO-8601 text.
 */
final class GraphJson {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private GraphJson() {}

  /** Returns a graph in the form in which it is stored. */
  static Definitions.Definition definition(Graph graph) {
    String body = write(graph);
    return new Definitions.Definition(CanonicalJson.sha256(body), graph.name(), Graph.FORMAT, body);
  }

  static String write(Graph graph) {
    ObjectNode json = MAPPER.createObjectNode();
    json.put("name", graph.name());
    putText(json, "label", graph.label());
    ArrayNode steps = json.putArray("steps");
    graph.steps().forEach(node -> steps.add(nodeJson(node)));
    if (graph.result() != null) {
      json.set("result", inputJson(graph.result()));
    }
    putTime(json, "deadline", graph.deadline());
    putPositions(json, "required", graph.required().stream().sorted().toList());
    if (graph.maxActive() != null) {
      ObjectNode limit = json.putObject("maxActive");
      limit.put("count", graph.maxActive().count());
      limit.put("onFull", graph.maxActive().onFull().name());
      putText(limit, "field", graph.maxActive().field());
    }
    return CanonicalJson.text(json);
  }

  private static ObjectNode nodeJson(Node node) {
    ObjectNode json = MAPPER.createObjectNode();
    json.put("name", node.name());
    json.put("part", node.part().name());
    json.set("work", workJson(node.work()));
    putPositions(json, "after", node.after());
    json.set("rule", RuleJson.write(node.rule()));
    json.put("onError", node.onError().name());
    if (node.eager()) {
      json.put("eager", true);
    }
    putTime(json, "timeout", node.timeout());
    putText(json, "label", node.label());
    if (node.compensates() >= 0) {
      json.put("compensates", node.compensates());
    }
    return json;
  }

  private static ObjectNode workJson(Work work) {
    ObjectNode json = MAPPER.createObjectNode();
    switch (work) {
      case Work.Task task -> {
        json.put("kind", "task");
        json.set("job", jobJson(task.job()));
        json.set("payload", inputJson(task.payload()));
      }
      case Work.Map map -> {
        json.put("kind", "map");
        json.set("job", jobJson(map.job()));
        json.set("items", inputJson(map.items()));
        json.put("concurrency", map.concurrency());
        json.put("tolerated", map.tolerated());
        putText(json, "itemLabel", map.itemLabel());
      }
      case Work.Child child -> {
        json.put("kind", "child");
        json.put("workflow", child.workflow());
        json.put("hash", child.hash());
        json.set("input", inputJson(child.input()));
      }
      case Work.Sleep sleep -> json.put("kind", "sleep").put("time", sleep.time().toString());
      case Work.Signal signal -> {
        json.put("kind", "signal").put("signal", signal.signal());
        putText(json, "otherwise", signal.otherwise());
      }
    }
    return json;
  }

  private static ObjectNode jobJson(JobTemplate job) {
    ObjectNode json = MAPPER.createObjectNode();
    json.put("task", job.task());
    json.put("queue", job.queue());
    json.put("priority", job.priority());
    if (!job.tags().isEmpty()) {
      ArrayNode tags = json.putArray("tags");
      job.tags().stream().sorted().forEach(tags::add);
    }
    putText(json, "policy", job.policy());
    putTime(json, "startWithin", job.startWithin());
    return json;
  }

  private static ObjectNode inputJson(Input input) {
    ObjectNode json = MAPPER.createObjectNode();
    switch (input) {
      case Input.RunInput run -> json.put("kind", "input");
      case Input.Context context -> putText(json.put("kind", "context"), "path", context.path());
      case Input.Output output ->
          putText(json.put("kind", "output").put("step", output.step()), "path", output.path());
      case Input.Constant constant -> json.put("kind", "constant").put("value", constant.value());
      case Input.Compensated undo -> json.put("kind", "compensated");
    }
    return json;
  }

  private static void putText(ObjectNode json, String field, @Nullable String value) {
    if (value != null) {
      json.put(field, value);
    }
  }

  private static void putTime(ObjectNode json, String field, @Nullable Duration value) {
    putText(json, field, value == null ? null : value.toString());
  }

  private static void putPositions(ObjectNode json, String field, Collection<Integer> steps) {
    if (!steps.isEmpty()) {
      ArrayNode array = json.putArray(field);
      steps.forEach(array::add);
    }
  }

  /**
   * Reads a stored graph.
   *
   * @throws IllegalStateException if it was written by a newer version
   */
  static Graph read(Definitions.Definition definition) {
    if (definition.format() > Graph.FORMAT) {
      throw new IllegalStateException(
          "Workflow '%s' (%s) is stored in format %d, but this version of Holdfast reads format %d: update this application."
              .formatted(definition.name(), definition.hash(), definition.format(), Graph.FORMAT));
    }
    try {
      return GraphCheck.consistent(read(definition.body()));
    } catch (JacksonException | NullPointerException unreadable) {
      throw new IllegalStateException(
          "Workflow '%s' (%s) is stored, but cannot be read: register it again."
              .formatted(definition.name(), definition.hash()),
          unreadable);
    }
  }

  static Graph read(String text) {
    JsonNode json = MAPPER.readTree(text);
    List<Node> steps = new ArrayList<>();
    json.get("steps").forEach(step -> steps.add(node(step)));
    JsonNode limit = json.get("maxActive");
    return new Graph(
        json.get("name").stringValue(),
        text(json, "label"),
        steps,
        json.has("result") ? input(json.get("result")) : null,
        time(json, "deadline"),
        Set.copyOf(positions(json, "required")),
        limit == null
            ? null
            : new MaxActive(
                limit.get("count").intValue(),
                text(limit, "field"),
                MaxActive.OnFull.valueOf(limit.get("onFull").stringValue())));
  }

  private static Node node(JsonNode json) {
    return new Node(
        json.get("name").stringValue(),
        Part.valueOf(json.get("part").stringValue()),
        work(json.get("work")),
        positions(json, "after"),
        RuleJson.read(json.get("rule")),
        OnError.valueOf(json.get("onError").stringValue()),
        json.path("eager").booleanValue(false),
        time(json, "timeout"),
        text(json, "label"),
        json.path("compensates").intValue(-1));
  }

  private static Work work(JsonNode json) {
    String kind = json.get("kind").stringValue();
    return switch (kind) {
      case "task" -> new Work.Task(job(json.get("job")), input(json.get("payload")));
      case "map" ->
          new Work.Map(
              job(json.get("job")),
              input(json.get("items")),
              json.get("concurrency").intValue(),
              json.get("tolerated").intValue(),
              text(json, "itemLabel"));
      case "child" ->
          new Work.Child(
              json.get("workflow").stringValue(),
              json.get("hash").stringValue(),
              input(json.get("input")));
      case "sleep" -> new Work.Sleep(Duration.parse(json.get("time").stringValue()));
      case "signal" -> new Work.Signal(json.get("signal").stringValue(), text(json, "otherwise"));
      default -> throw unknown("step", kind);
    };
  }

  private static JobTemplate job(JsonNode json) {
    Set<String> tags = new HashSet<>();
    json.path("tags").forEach(tag -> tags.add(tag.stringValue()));
    return new JobTemplate(
        json.get("task").stringValue(),
        json.get("queue").stringValue(),
        json.get("priority").intValue(),
        tags,
        text(json, "policy"),
        time(json, "startWithin"));
  }

  private static Input input(JsonNode json) {
    String kind = json.get("kind").stringValue();
    return switch (kind) {
      case "input" -> new Input.RunInput();
      case "context" -> new Input.Context(text(json, "path"));
      case "output" -> new Input.Output(json.get("step").intValue(), text(json, "path"));
      case "constant" -> new Input.Constant(json.get("value").stringValue());
      case "compensated" -> new Input.Compensated();
      default -> throw unknown("source", kind);
    };
  }

  static IllegalStateException unknown(String what, String kind) {
    return new IllegalStateException(
        "A stored workflow has a %s of kind '%s', which is not known to this version of Holdfast: update this application."
            .formatted(what, kind));
  }

  private static @Nullable String text(JsonNode json, String field) {
    JsonNode value = json.get(field);
    return value == null ? null : value.stringValue();
  }

  private static @Nullable Duration time(JsonNode json, String field) {
    String value = text(json, field);
    return value == null ? null : Duration.parse(value);
  }

  private static List<Integer> positions(JsonNode json, String field) {
    List<Integer> positions = new ArrayList<>();
    json.path(field).forEach(step -> positions.add(step.intValue()));
    return positions;
  }
}
