package dev.holdfast.server.boot;

import dev.holdfast.server.config.ServerConfig;
import dev.holdfast.server.http.Pipeline;
import dev.holdfast.server.http.Route;
import dev.holdfast.server.javalin.JavalinServer;
import dev.holdfast.server.stream.Feeds;
import dev.holdfast.server.worker.RemoteWorkers;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The routes of a server, and the web server that serves them. */
record HttpEndpoint(JavalinServer server, Pipeline pipeline, List<Route> routes, Feeds feeds)
    implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(HttpEndpoint.class);

  /** Returns the address of the API on this port. */
  static URI url(ServerConfig.Http settings, int port) {
    String host = settings.host().equals("0.0.0.0") ? "localhost" : settings.host();
    String scheme = settings.tls() == null ? "http" : "https";
    return URI.create("%s://%s:%d%s".formatted(scheme, host, port, settings.basePath()));
  }

  /**
   * Accepts no more requests, apart from probes and metrics, and waits until those that have
   * arrived are served.
   *
   * @param workers whose calls may wait for jobs; these waits end
   */
  void drain(Duration atMost, RemoteWorkers workers) {
    pipeline.stop();
    feeds.close();
    workers.close();
    try {
      if (!server.awaitServed(atMost)) {
        log.warn("Some requests were not served in time; their connections will be closed");
      }
    } catch (InterruptedException impatient) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    server.close();
  }
}
