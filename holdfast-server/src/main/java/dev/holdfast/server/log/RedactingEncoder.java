package dev.holdfast.server.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.EncoderBase;
import dev.holdfast.engine.codec.Redactor;
import java.nio.charset.StandardCharsets;

/** Hides secrets in the lines of another encoder, stack traces included. */
final class RedactingEncoder extends EncoderBase<ILoggingEvent> {
  private final Encoder<ILoggingEvent> lines;
  private final Redactor redactor;

  RedactingEncoder(Encoder<ILoggingEvent> lines, Redactor redactor) {
    this.lines = lines;
    this.redactor = redactor;
  }

  @Override
  public byte[] headerBytes() {
    return lines.headerBytes();
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    byte[] line = lines.encode(event);
    if (!redactor.isActive()) {
      return line;
    }
    String text = new String(line, StandardCharsets.UTF_8);
    return redactor.redact(text).getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public byte[] footerBytes() {
    return lines.footerBytes();
  }
}
