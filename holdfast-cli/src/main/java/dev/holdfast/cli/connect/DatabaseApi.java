package dev.holdfast.cli.connect;

import dev.holdfast.cli.database.OpenStore;
import dev.holdfast.cli.print.Json;
import dev.holdfast.server.api.LocalApi;
import dev.holdfast.server.http.RawResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import tools.jackson.databind.JsonNode;

/** The handlers of the API in this process, on a database. */
final class DatabaseApi implements Api {
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(300);

  private final OpenStore open;
  private final LocalApi local;

  DatabaseApi(OpenStore open) {
    this.open = open;
    this.local = new LocalApi(open.store());
  }

  OpenStore open() {
    return open;
  }

  @Override
  public JsonNode send(ApiRequest request) {
    String[] parts = request.path().split("\\?", 2);
    JsonNode body = request.body();
    byte[] bytes = body == null ? new byte[0] : body.toString().getBytes(StandardCharsets.UTF_8);
    RawResponse response =
        local.handle(request.method(), parts[0], parts.length == 1 ? null : parts[1], bytes);
    JsonNode json =
        response.body().length == 0
            ? Json.object()
            : Json.read(new String(response.body(), StandardCharsets.UTF_8));
    if (response.status() >= 400) {
      throw ApiException.of(response.status(), json);
    }
    return json;
  }

  @Override
  public JsonNode upload(Upload upload) {
    throw new IllegalStateException("A database without a server accepts no files");
  }

  @Override
  public Changes changes(String path, Duration longest) {
    return Changes.every(BETWEEN_LOOKS);
  }

  @Override
  public void close() {
    try (OpenStore store = open) {
      local.close();
    }
  }
}
