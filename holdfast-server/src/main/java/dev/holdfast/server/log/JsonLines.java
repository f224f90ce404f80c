package dev.holdfast.server.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import dev.holdfast.engine.held.LogContext;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Writes each log event as one line of JSON, with the node and the job that it belongs to. */
final class JsonLines extends EncoderBase<ILoggingEvent> {
  private static final JsonMapper JSON = new JsonMapper();
  private static final byte[] NOTHING = new byte[0];

  private final String process;

  /**
   * @param process what stands for the node in lines of threads that belong to no node
   */
  JsonLines(String process) {
    this.process = process;
  }

  @Override
  public byte[] headerBytes() {
    return NOTHING;
  }

  @Override
  public byte[] footerBytes() {
    return NOTHING;
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    Map<String, String> context = event.getMDCPropertyMap();
    ObjectNode line = JSON.createObjectNode();
    line.put("at", Instant.ofEpochMilli(event.getTimeStamp()).toString());
    line.put("level", event.getLevel().toString());
    line.put("node", context.getOrDefault(LogContext.NODE, process));
    line.put("job", context.get(LogContext.JOB));
    put(line, "task", context.get(LogContext.TASK));
    put(line, "request", context.get(ServerLog.REQUEST));
    line.put("logger", event.getLoggerName());
    line.put("thread", event.getThreadName());
    line.put("message", event.getFormattedMessage());
    IThrowableProxy thrown = event.getThrowableProxy();
    if (thrown != null) {
      line.put("error", ThrowableProxyUtil.asString(thrown));
    }
    return (line + "\n").getBytes(StandardCharsets.UTF_8);
  }

  private static void put(ObjectNode line, String field, @Nullable String value) {
    if (value != null) {
      line.put(field, value);
    }
  }
}
