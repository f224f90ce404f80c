package dev.holdfast.cli.connect;

import java.time.Duration;
import tools.jackson.databind.JsonNode;

/** The REST API, of a server or in this process. */
interface Api extends AutoCloseable {

  /**
   * Sends a request.
   *
   * @return the JSON of the response; an empty object if there is none
   * @throws ApiException if the request was refused or got no response
   */
  JsonNode send(ApiRequest request);

  /**
   * Sends a file.
   *
   * @return the JSON of the response
   * @throws ApiException if the request was refused or got no response
   */
  JsonNode upload(Upload upload);

  /**
   * Follows what a server streams, or looks again and again where there is no stream.
   *
   * @param path the path of the stream
   * @param longest how long to wait for an event of the stream before looking anyway
   */
  Changes changes(String path, Duration longest);

  @Override
  void close();
}
