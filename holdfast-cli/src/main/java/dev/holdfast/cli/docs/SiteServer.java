package dev.holdfast.cli.docs;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.holdfast.cli.docs.Site.Content;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Serves a site on the loopback address, so that only programs on this machine can read it. */
final class SiteServer implements AutoCloseable {
  /** Allows the stylesheet and nothing else: no scripts, no frames, no forms. */
  static final String POLICY =
      "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none';"
          + " frame-ancestors 'none'";

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  private SiteServer(HttpServer server) {
    this.server = server;
  }

  /**
   * Starts to serve.
   *
   * @param port 0 for any free one
   * @throws IOException if the port cannot be used
   */
  static SiteServer start(Site site, int port) throws IOException {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    SiteServer started = new SiteServer(HttpServer.create(address, 0));
    started.server.setExecutor(started.threads);
    started.server.createContext("/", exchange -> respond(exchange, site));
    started.server.start();
    return started;
  }

  URI url() {
    InetSocketAddress address = server.getAddress();
    String host = address.getAddress().getHostAddress();
    return URI.create(
        "http://%s:%d/".formatted(host.contains(":") ? "[" + host + "]" : host, address.getPort()));
  }

  private static void respond(HttpExchange exchange, Site site) throws IOException {
    try (exchange) {
      Headers headers = exchange.getResponseHeaders();
      headers.set("Content-Security-Policy", POLICY);
      headers.set("X-Content-Type-Options", "nosniff");
      headers.set("Referrer-Policy", "no-referrer");
      headers.set("Cache-Control", "no-cache");
      boolean head = exchange.getRequestMethod().equals("HEAD");
      if (!head && !exchange.getRequestMethod().equals("GET")) {
        headers.set("Allow", "GET, HEAD");
        exchange.sendResponseHeaders(405, -1);
        return;
      }
      Optional<Content> found = site.at(exchange.getRequestURI().getPath());
      Content content = found.orElseGet(site::missing);
      byte[] body = content.text().getBytes(UTF_8);
      headers.set("Content-Type", content.type());
      exchange.sendResponseHeaders(found.isPresent() ? 200 : 404, head ? -1 : body.length);
      if (!head) {
        exchange.getResponseBody().write(body);
      }
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
