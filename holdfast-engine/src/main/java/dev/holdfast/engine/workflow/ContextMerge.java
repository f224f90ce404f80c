package dev.holdfast.engine.workflow;

import dev.holdfast.api.internal.Names;
import dev.holdfast.api.workflow.RunId;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Builds the context of a step: the input of the run, then outputs, each added once. Objects are
 * merged deeply, arrays are appended, other values are replaced by later ones; null is a value.
 * Values that are given to it are not changed.
 */
final class ContextMerge {
  private static final String INPUT = "input";
  private static final String RUN = "run";

  private final ObjectNode context = JsonNodeFactory.instance.objectNode();

  /** Creates a context that contains the input of a run; null for a run without an input. */
  ContextMerge(RunId run, String workflow, @Nullable JsonNode input) {
    if (input instanceof ObjectNode object) {
      merge(context, object);
    } else if (input != null) {
      context.set(INPUT, input.deepCopy());
    }
    context.set(
        RUN,
        JsonNodeFactory.instance.objectNode().put("id", run.toString()).put("workflow", workflow));
  }

  /** Sets reserved fields, in place of those that the input has. */
  void reserve(ObjectNode fields) {
    fields.properties().stream()
        .filter(field -> Names.RESERVED_FIELDS.contains(field.getKey()))
        .forEach(field -> context.set(field.getKey(), field.getValue()));
  }

  /**
   * Adds the output of a step: the fields of an object, or another value under the name of the
   * step.
   */
  void add(String step, JsonNode output) {
    if (output instanceof ObjectNode object) {
      object
          .properties()
          .forEach(field -> {
            if (!Names.RESERVED_FIELDS.contains(field.getKey())) {
              merge(context, field.getKey(), field.getValue());
            }
          });
    } else {
      addNamed(step, output);
    }
  }

  /** Adds an output under the name of its step. */
  void addNamed(String step, JsonNode output) {
    if (!Names.RESERVED_FIELDS.contains(step)) {
      merge(context, step, output);
    }
  }

  /** Returns the context. */
  ObjectNode context() {
    return context;
  }

  private static void merge(ObjectNode into, ObjectNode from) {
    from.properties().forEach(field -> merge(into, field.getKey(), field.getValue()));
  }

  private static void merge(ObjectNode into, String name, JsonNode value) {
    JsonNode present = into.get(name);
    if (present instanceof ObjectNode object && value instanceof ObjectNode other) {
      merge(object, other);
    } else if (present instanceof ArrayNode array && value instanceof ArrayNode other) {
      other.forEach(element -> array.add(element.deepCopy()));
    } else {
      into.set(name, value.deepCopy());
    }
  }
}
