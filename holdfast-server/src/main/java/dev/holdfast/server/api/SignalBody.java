package dev.holdfast.server.api;

import dev.holdfast.server.http.Call;
import dev.holdfast.server.http.Fields;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A signal, as sent to a job or a run.
 *
 * @param id the id under which a repeat is recognised
 */
record SignalBody(String name, @Nullable JsonNode payload, String id) {

  static SignalBody of(Call call) {
    Fields body = call.body();
    String name = body.text("name");
    JsonNode payload = body.json("payload");
    String own = body.textOr("id", null);
    body.done();
    return new SignalBody(name, payload, own != null ? own : call.newId().toString());
  }
}
