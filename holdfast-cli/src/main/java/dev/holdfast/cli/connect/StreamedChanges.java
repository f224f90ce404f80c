package dev.holdfast.cli.connect;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Changes that the stream of a server announces. What has changed is not read from the stream: the
 * command looks. While the stream is broken, changes are supposed at short intervals, so nothing is
 * missed.
 */
final class StreamedChanges implements Changes {
  private static final Duration WITHOUT_STREAM = Duration.ofMillis(300);
  private static final Duration BEFORE_RECONNECT = Duration.ofSeconds(1);

  private final HttpClient client;
  private final HttpRequest request;
  private final Duration longest;
  private final Semaphore bell = new Semaphore(0);
  private final Thread reader;
  private volatile boolean connected;
  private volatile boolean closed;

  /**
   * @param longest how long to wait for an event of the stream before looking anyway
   */
  StreamedChanges(HttpClient client, HttpRequest request, Duration longest) {
    this.client = client;
    this.request = request;
    this.longest = longest;
    this.reader = Thread.ofVirtual().name("holdfast-watch").start(this::follow);
  }

  private void follow() {
    while (!closed) {
      try {
        HttpResponse<Stream<String>> response =
            client.send(request, HttpResponse.BodyHandlers.ofLines());
        try (Stream<String> lines = response.body()) {
          if (response.statusCode() == 200) {
            connected = true;
            lines.filter(line -> line.startsWith("data:")).forEach(event -> bell.release());
          }
        }
      } catch (IOException | UncheckedIOException broken) {
        // Until it reconnects, the command polls more often, and reports an unavailable server.
      } catch (InterruptedException stopped) {
        return;
      } finally {
        connected = false;
        bell.release();
      }
      try {
        Thread.sleep(BEFORE_RECONNECT);
      } catch (InterruptedException stopped) {
        return;
      }
    }
  }

  boolean isConnected() {
    return connected;
  }

  @Override
  public void await() throws InterruptedException {
    Duration most = connected ? longest : WITHOUT_STREAM;
    if (bell.tryAcquire(most.toNanos(), TimeUnit.NANOSECONDS)) {
      bell.drainPermits();
    }
  }

  @Override
  public void close() {
    closed = true;
    reader.interrupt();
  }
}
