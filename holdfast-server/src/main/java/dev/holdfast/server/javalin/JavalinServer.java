package dev.holdfast.server.javalin;

import dev.holdfast.api.HoldfastException;
import dev.holdfast.server.http.EventSource;
import dev.holdfast.server.http.Pipeline;
import dev.holdfast.server.http.RawRequest;
import dev.holdfast.server.http.RawResponse;
import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.util.JavalinException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.ServerConnector;

/** Serves a pipeline over HTTP with Javalin, on virtual threads. */
public final class JavalinServer implements AutoCloseable {
  private static final Duration IDLE = Duration.ofSeconds(30);
  private static final Duration PING = Duration.ofSeconds(10);
  private static final int HEADER_LIMIT = 16 * 1024;

  private final Pipeline pipeline;
  private final Javalin javalin;
  private volatile boolean stopping;

  private JavalinServer(Pipeline pipeline) {
    this.pipeline = pipeline;
    this.javalin = Javalin.create(this::configure);
  }

  /**
   * Starts to serve.
   *
   * @param port 0 for any free port
   * @throws HoldfastException if the port is taken
   */
  public static JavalinServer start(Pipeline pipeline, String host, int port) {
    JavalinServer server = new JavalinServer(pipeline);
    try {
      server.javalin.start(host, port);
    } catch (JavalinException failure) {
      throw new HoldfastException(
          "Port %d of %s cannot be used: %s. Choose another with --port."
              .formatted(port, host, failure.getMessage()),
          failure);
    }
    return server;
  }

  /** Returns the port. */
  public int port() {
    return javalin.port();
  }

  private void configure(JavalinConfig config) {
    config.concurrency.useVirtualThreads = true;
    config.startup.showJavalinBanner = false;
    config.startup.showOldJavalinVersionWarning = false;
    config.startup.startupWatcherEnabled = false;
    config.http.asyncTimeout = 0;
    config.jetty.modifyHttpConfiguration(JavalinServer::limit);
    config.jetty.modifyServer(server -> {
      server.setErrorHandler(new ProblemErrors());
      for (var connector : server.getConnectors()) {
        if (connector instanceof ServerConnector plain) {
          plain.setIdleTimeout(IDLE.toMillis());
        }
      }
    });
    config.jetty.modifyServletContextHandler(
        handler -> handler.setErrorHandler(new ProblemErrors()));
    // Before Javalin looks for a route: the pipeline has its own routes, for all methods.
    config.routes.before(context -> {
      serve(context);
      context.skipRemainingHandlers();
    });
  }

  private static void limit(HttpConfiguration http) {
    http.setSendServerVersion(false);
    http.setSendDateHeader(false);
    http.setRequestHeaderSize(HEADER_LIMIT);
    // The pipeline splits and decodes the path itself, so nothing in it is ambiguous.
    http.setUriCompliance(UriCompliance.UNSAFE);
  }

  private void serve(Context context) throws IOException {
    HttpServletRequest request = context.req();
    RawResponse response =
        pipeline.handle(
            new RawRequest(
                request.getMethod(),
                request.getRequestURI(),
                request.getQueryString(),
                request::getHeader,
                request.getInputStream(),
                request.getContentLengthLong(),
                request.getRemoteAddr()));
    HttpServletResponse out = context.res();
    out.setStatus(response.status());
    response.headers().forEach(out::setHeader);
    EventSource events = response.events();
    if (events != null) {
      stream(events, out);
    } else if (response.body().length > 0) {
      out.setContentLength(response.body().length);
      if (!request.getMethod().equals("HEAD")) {
        out.getOutputStream().write(response.body());
      }
    }
  }

  /** Writes events until the client leaves, is too slow, or the server stops. */
  private void stream(EventSource events, HttpServletResponse response) throws IOException {
    try (events) {
      OutputStream out = response.getOutputStream();
      out.flush();
      while (!stopping && !events.isEnded()) {
        Optional<EventSource.Event> next = events.next(PING);
        out.write(
            next.map(JavalinServer::text).orElse(": ping\n\n").getBytes(StandardCharsets.UTF_8));
        out.flush();
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private static String text(EventSource.Event event) {
    StringBuilder text = new StringBuilder();
    if (event.id() != null) {
      text.append("id: ").append(event.id()).append('\n');
    }
    return text.append("event: ")
        .append(event.name())
        .append("\ndata: ")
        .append(event.data())
        .append("\n\n")
        .toString();
  }

  @Override
  public void close() {
    stopping = true;
    javalin.stop();
  }
}
