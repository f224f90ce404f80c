package dev.holdfast.cli.graph;

import dev.holdfast.cli.print.Json;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Writes a {@link Picture} as JSON. Steps name each other. */
public final class PictureJson {

  private PictureJson() {}

  /** Returns the JSON of a picture. */
  public static ObjectNode of(Picture picture) {
    ObjectNode json = Json.object().put("title", picture.title());
    ArrayNode facts = json.putArray("facts");
    picture.facts().forEach(facts::add);
    ArrayNode steps = json.putArray("steps");
    picture.steps().forEach(step -> write(picture, step, steps.addObject()));
    return json;
  }

  private static void write(Picture picture, Picture.Box step, ObjectNode json) {
    json.put("name", step.name()).put("part", step.part().name());
    ArrayNode after = json.putArray("after");
    step.after().forEach(position -> after.add(picture.steps().get(position).name()));
    json.put("work", step.work());
    ArrayNode notes = json.putArray("notes");
    step.notes().forEach(notes::add);
    json.put("undoes", step.undoes() < 0 ? null : picture.steps().get(step.undoes()).name());
    if (step.state() != null) {
      json.put("state", step.state().name()).put("progress", step.progress());
    }
  }
}
