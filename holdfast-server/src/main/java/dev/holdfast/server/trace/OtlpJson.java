package dev.holdfast.server.trace;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes spans as an {@code ExportTraceServiceRequest} of OTLP, in its JSON encoding: ids are
 * hexadecimal, 64-bit numbers are text, and enums are numbers.
 */
final class OtlpJson {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();
  private static final int OK = 1;
  private static final int ERROR = 2;

  private OtlpJson() {}

  static String of(Map<String, String> resource, Collection<SpanData> spans) {
    ObjectNode root = MAPPER.createObjectNode();
    ObjectNode all = root.putArray("resourceSpans").addObject();
    ArrayNode attributes = all.putObject("resource").putArray("attributes");
    resource.forEach((key, value) ->
        attributes.addObject().put("key", key).putObject("value").put("stringValue", value));
    Map<InstrumentationScopeInfo, ArrayNode> scopes = new LinkedHashMap<>();
    ArrayNode byScope = all.putArray("scopeSpans");
    for (SpanData span : spans) {
      ArrayNode into =
          scopes.computeIfAbsent(
              span.getInstrumentationScopeInfo(),
              scope -> {
                ObjectNode group = byScope.addObject();
                group.putObject("scope").put("name", scope.getName());
                return group.putArray("spans");
              });
      write(into.addObject(), span);
    }
    return MAPPER.writeValueAsString(root);
  }

  private static void write(ObjectNode json, SpanData span) {
    json.put("traceId", span.getTraceId());
    json.put("spanId", span.getSpanId());
    if (span.getParentSpanContext().isValid()) {
      json.put("parentSpanId", span.getParentSpanId());
    }
    json.put("flags", (int) span.getSpanContext().getTraceFlags().asByte());
    json.put("name", span.getName());
    json.put("kind", kind(span));
    json.put("startTimeUnixNano", Long.toString(span.getStartEpochNanos()));
    json.put("endTimeUnixNano", Long.toString(span.getEndEpochNanos()));
    attributes(json, span.getAttributes());
    if (!span.getEvents().isEmpty()) {
      ArrayNode events = json.putArray("events");
      for (EventData event : span.getEvents()) {
        ObjectNode one = events.addObject();
        one.put("timeUnixNano", Long.toString(event.getEpochNanos())).put("name", event.getName());
        attributes(one, event.getAttributes());
      }
    }
    if (!span.getLinks().isEmpty()) {
      ArrayNode links = json.putArray("links");
      for (LinkData link : span.getLinks()) {
        ObjectNode one = links.addObject();
        one.put("traceId", link.getSpanContext().getTraceId());
        one.put("spanId", link.getSpanContext().getSpanId());
        attributes(one, link.getAttributes());
      }
    }
    if (span.getStatus().getStatusCode() != StatusCode.UNSET) {
      json.putObject("status")
          .put("code", span.getStatus().getStatusCode() == StatusCode.OK ? OK : ERROR)
          .put("message", span.getStatus().getDescription());
    }
  }

  private static int kind(SpanData span) {
    return switch (span.getKind()) {
      case INTERNAL -> 1;
      case SERVER -> 2;
      case CLIENT -> 3;
      case PRODUCER -> 4;
      case CONSUMER -> 5;
    };
  }

  private static void attributes(ObjectNode json, Attributes attributes) {
    if (attributes.isEmpty()) {
      return;
    }
    ArrayNode array = json.putArray("attributes");
    attributes.forEach((AttributeKey<?> key, Object value) -> {
      ObjectNode one = array.addObject().put("key", key.getKey());
      value(one.putObject("value"), value);
    });
  }

  private static void value(ObjectNode json, Object value) {
    switch (value) {
      case String text -> json.put("stringValue", text);
      case Boolean flag -> json.put("boolValue", flag);
      case Long number -> json.put("intValue", Long.toString(number));
      case Double number -> json.put("doubleValue", number);
      case List<?> values -> {
        ArrayNode array = json.putObject("arrayValue").putArray("values");
        values.forEach(one -> value(array.addObject(), one));
      }
      default -> json.put("stringValue", value.toString());
    }
  }
}
