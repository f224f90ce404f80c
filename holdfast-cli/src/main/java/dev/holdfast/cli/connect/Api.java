package dev.holdfast.cli.connect;

import tools.jackson.databind.JsonNode;

/** The REST API, wherever it is. */
interface Api extends AutoCloseable {

  /**
   * Sends a request.
   *
   * @return the JSON of the response; an empty object if there is none
   * @throws ApiException if the request was refused or got no response
   */
  JsonNode send(ApiRequest request);

  @Override
  void close();
}
