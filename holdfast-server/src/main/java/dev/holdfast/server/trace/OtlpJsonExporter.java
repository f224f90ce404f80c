package dev.holdfast.server.trace;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Posts spans to a collector as OTLP in JSON. Spans that the collector does not accept are dropped,
 * and the log says so at most once a minute.
 */
final class OtlpJsonExporter implements SpanExporter {
  private static final Logger log = LoggerFactory.getLogger(OtlpJsonExporter.class);
  private static final Duration BETWEEN_WARNINGS = Duration.ofMinutes(1);

  private final TraceSettings settings;
  private final HttpClient http;
  private final AtomicLong warned =
      new AtomicLong(System.nanoTime() - 2 * BETWEEN_WARNINGS.toNanos());

  OtlpJsonExporter(TraceSettings settings) {
    this.settings = settings;
    this.http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(settings.timeout())
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();
  }

  @Override
  public CompletableResultCode export(Collection<SpanData> spans) {
    CompletableResultCode result = new CompletableResultCode();
    HttpRequest.Builder request =
        HttpRequest.newBuilder(settings.endpoint())
            .timeout(settings.timeout())
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(OtlpJson.of(settings.resource(), spans)));
    settings.headers().forEach(request::setHeader);
    var unused =
        http.sendAsync(request.build(), BodyHandlers.ofString())
            .whenComplete((response, failure) -> {
              if (failure != null) {
                dropped(spans.size(), String.valueOf(failure.getMessage()));
                result.fail();
              } else if (response.statusCode() / 100 != 2) {
                dropped(spans.size(), "status " + response.statusCode());
                result.fail();
              } else {
                result.succeed();
              }
            });
    return result;
  }

  private void dropped(int spans, @Nullable String why) {
    long now = System.nanoTime();
    long last = warned.get();
    if (now - last > BETWEEN_WARNINGS.toNanos() && warned.compareAndSet(last, now)) {
      log.warn(
          "{} spans were not accepted by {} and are dropped; jobs are not affected: {}",
          spans,
          settings.endpoint(),
          why);
    }
  }

  @Override
  public CompletableResultCode flush() {
    return CompletableResultCode.ofSuccess();
  }

  @Override
  public CompletableResultCode shutdown() {
    http.shutdownNow();
    return CompletableResultCode.ofSuccess();
  }
}
