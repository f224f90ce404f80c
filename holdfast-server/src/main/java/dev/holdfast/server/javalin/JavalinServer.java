package dev.holdfast.server.javalin;

import dev.holdfast.api.HoldfastException;
import dev.holdfast.server.config.ServerConfig;
import dev.holdfast.server.http.EventSource;
import dev.holdfast.server.http.Pipeline;
import dev.holdfast.server.http.RawRequest;
import dev.holdfast.server.http.RawResponse;
import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.ee10.servlet.ServletContextRequest;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves a pipeline over HTTP with Javalin, on virtual threads. */
public final class JavalinServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(JavalinServer.class);
  private static final Duration CERTIFICATE = Duration.ofSeconds(2);
  private static final Duration PING = Duration.ofSeconds(10);
  private static final int HEADER_LIMIT = 16 * 1024;

  private final Pipeline pipeline;
  private final ServerConfig.Http settings;
  private final SlowConnections slow;
  private final @Nullable TlsFiles tls;
  private final Javalin javalin;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("holdfast-connections").factory());
  private final InFlight inFlight = new InFlight();
  private volatile boolean stopping;

  private JavalinServer(Pipeline pipeline, ServerConfig.Http settings) {
    this.pipeline = pipeline;
    this.settings = settings;
    this.slow = new SlowConnections(settings.timeouts().request());
    this.tls = settings.tls() == null ? null : new TlsFiles(settings.tls());
    this.javalin = Javalin.create(this::configure);
  }

  /**
   * Starts to serve.
   *
   * @throws HoldfastException if the port is taken
   */
  public static JavalinServer start(Pipeline pipeline, ServerConfig.Http settings) {
    JavalinServer server = new JavalinServer(pipeline, settings);
    try {
      server.javalin.start();
    } catch (RuntimeException failure) {
      server.timer.shutdownNow();
      throw new HoldfastException(
          "Port %d of %s cannot be used: %s. Choose another with --port."
              .formatted(settings.port(), settings.host(), failure.getMessage()),
          failure);
    }
    server.watch();
    return server;
  }

  private void watch() {
    long patience = settings.timeouts().request().toMillis();
    repeat(Math.clamp(patience / 4, 50, 1_000), slow::sweep);
    if (tls != null) {
      repeat(CERTIFICATE.toMillis(), tls::refresh);
    }
  }

  private void repeat(long millis, Runnable work) {
    Future<?> unused =
        timer.scheduleWithFixedDelay(
            () -> {
              try {
                work.run();
              } catch (RuntimeException failure) {
                log.warn("Connections could not be checked, trying again: {}", failure.toString());
              }
            },
            millis,
            millis,
            TimeUnit.MILLISECONDS);
  }

  /** Returns how many connections are open. */
  public int connections() {
    return slow.count();
  }

  /**
   * Waits until the requests that are being served have their responses. Streams do not count.
   *
   * @return whether none is left; false after the given time, or if the wait was abandoned
   */
  public boolean awaitServed(Duration atMost) throws InterruptedException {
    return inFlight.await(atMost);
  }

  /** Ends the wait for requests that are being served. */
  public void abandonServed() {
    inFlight.abandon();
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
    });
    config.jetty.addConnector(this::connector);
    config.jetty.modifyServletContextHandler(
        handler -> handler.setErrorHandler(new ProblemErrors()));
    // Before Javalin looks for a route: the pipeline has its own routes, for all methods.
    config.routes.before(context -> {
      serve(context);
      context.skipRemainingHandlers();
    });
  }

  private ServerConnector connector(Server server, HttpConfiguration http) {
    HttpConnectionFactory plain = new HttpConnectionFactory(http);
    ServerConnector connector;
    if (tls == null) {
      connector = new ServerConnector(server, plain);
    } else {
      // Not checked here: the client decides whether it accepts the name in the certificate.
      http.addCustomizer(new SecureRequestCustomizer(false));
      connector =
          new ServerConnector(
              server, new SslConnectionFactory(tls.factory(), plain.getProtocol()), plain);
    }
    connector.setHost(settings.host());
    connector.setPort(settings.port());
    connector.setIdleTimeout(settings.timeouts().idle().toMillis());
    connector.addBean(slow);
    return connector;
  }

  private static void limit(HttpConfiguration http) {
    http.setSendServerVersion(false);
    http.setSendDateHeader(false);
    http.setRequestHeaderSize(HEADER_LIMIT);
    // The pipeline splits and decodes the path itself, so nothing in it is ambiguous.
    http.setUriCompliance(UriCompliance.UNSAFE);
  }

  private void serve(Context context) throws IOException {
    Connection connection =
        ServletContextRequest.getServletContextRequest(context.req())
            .getConnectionMetaData()
            .getConnection();
    slow.serves(connection);
    try {
      serve(context, connection);
    } finally {
      slow.served(connection);
    }
  }

  private void serve(Context context, Connection connection) throws IOException {
    HttpServletRequest request = context.req();
    HttpServletResponse out = context.res();
    RawResponse response;
    inFlight.start();
    try {
      response = pipeline.handle(raw(request));
      if (response.events() == null) {
        writeHead(response, request, out);
        writeBody(response, request, out, connection);
      }
    } finally {
      inFlight.end();
    }
    // Closes the events however the client disconnects. A server that stops ends them itself.
    try (EventSource events = response.events()) {
      if (events != null) {
        writeHead(response, request, out);
        // The response to HEAD has no body, so writing it would never fail, and never end.
        if (!isHead(request)) {
          stream(events, out, connection);
        }
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private static RawRequest raw(HttpServletRequest request) throws IOException {
    return new RawRequest(
        request.getMethod(),
        request.getRequestURI(),
        request.getQueryString(),
        name -> header(request, name),
        request.getInputStream(),
        request.getContentLengthLong(),
        request.getRemoteAddr(),
        request.isSecure());
  }

  private static boolean isHead(HttpServletRequest request) {
    return request.getMethod().equals("HEAD");
  }

  private static void writeHead(
      RawResponse response, HttpServletRequest request, HttpServletResponse out)
      throws IOException {
    out.setStatus(response.status());
    response.headers().forEach(out::setHeader);
    if (hasUnreadBody(request)) {
      // The web server closes such a connection; without this header, clients would use it again.
      out.setHeader("Connection", "close");
    }
  }

  private void writeBody(
      RawResponse response,
      HttpServletRequest request,
      HttpServletResponse out,
      Connection connection)
      throws IOException {
    if (response.pieces().hasNext() && !isHead(request)) {
      write(response.pieces(), out, connection);
    } else if (response.body().length > 0) {
      out.setContentLength(response.body().length);
      if (!isHead(request)) {
        slow.writes(connection, true);
        out.getOutputStream().write(response.body());
      }
    }
    // Flushes now, while this request still counts as in flight.
    out.flushBuffer();
  }

  private static boolean hasUnreadBody(HttpServletRequest request) throws IOException {
    boolean hasBody =
        request.getContentLengthLong() > 0 || request.getHeader("Transfer-Encoding") != null;
    return hasBody && !request.getInputStream().isFinished();
  }

  private void write(Iterator<String> pieces, HttpServletResponse response, Connection connection)
      throws IOException {
    OutputStream out = response.getOutputStream();
    while (pieces.hasNext()) {
      byte[] piece = pieces.next().getBytes(StandardCharsets.UTF_8);
      slow.writes(connection, true);
      out.write(piece);
      out.flush();
      slow.writes(connection, false);
    }
  }

  /** Each proxy may add a header line; joined, they are one list. */
  private static @Nullable String header(HttpServletRequest request, String name) {
    if (!name.startsWith("X-Forwarded-")) {
      return request.getHeader(name);
    }
    List<String> lines = Collections.list(request.getHeaders(name));
    return lines.isEmpty() ? null : String.join(",", lines);
  }

  /** Writes events until the client leaves, is too slow, or the server stops. */
  private void stream(EventSource events, HttpServletResponse response, Connection connection)
      throws IOException, InterruptedException {
    OutputStream out = response.getOutputStream();
    out.flush();
    while (!stopping && !events.isEnded()) {
      Optional<EventSource.Event> next = events.next(PING);
      slow.writes(connection, true);
      out.write(
          next.map(JavalinServer::text).orElse(": ping\n\n").getBytes(StandardCharsets.UTF_8));
      out.flush();
      slow.writes(connection, false);
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
    timer.shutdownNow();
    javalin.stop();
  }
}
