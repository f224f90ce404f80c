package dev.holdfast.server.trace;

import dev.holdfast.api.run.AttemptInterceptor;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import java.util.concurrent.TimeUnit;

/** Collects the spans of a server and sends them in batches. Closing it sends the last ones. */
public final class ServerTraces implements OpenTelemetry, AutoCloseable {
  private static final int LAST_BATCH_SECONDS = 5;

  private final SdkTracerProvider tracers;

  public ServerTraces(TraceSettings settings) {
    AttributesBuilder resource = Attributes.builder();
    settings.resource().forEach(resource::put);
    this.tracers =
        SdkTracerProvider.builder()
            .setResource(Resource.create(resource.build()))
            .setSampler(settings.sampler())
            .addSpanProcessor(
                BatchSpanProcessor.builder(new OtlpJsonExporter(settings))
                    .setScheduleDelay(1, TimeUnit.SECONDS)
                    .build())
            .build();
  }

  /** Returns an interceptor that names the tenant in the spans of its attempts. */
  public static AttemptInterceptor attempts(String tenant) {
    return attempt -> {
      Span.current().setAttribute("holdfast.tenant", tenant);
      return attempt.proceed();
    };
  }

  @Override
  public TracerProvider getTracerProvider() {
    return tracers;
  }

  @Override
  public ContextPropagators getPropagators() {
    return ContextPropagators.create(W3CTraceContextPropagator.getInstance());
  }

  @Override
  public void close() {
    tracers.shutdown().join(LAST_BATCH_SECONDS, TimeUnit.SECONDS);
  }
}
