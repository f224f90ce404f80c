package dev.holdfast.engine.schedule;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;

/**
 * How much later than its due time a job starts: derived from schedule and due time, so that every
 * node computes the same value.
 */
final class Jitter {

  private Jitter() {}

  /** Returns a value from zero to the maximum, evenly distributed, in whole microseconds. */
  static Duration of(String scheduleId, Instant time, Duration most) {
    long micros = most.toNanos() / 1_000;
    if (micros == 0) {
      return Duration.ZERO;
    }
    long drawn = Math.floorMod(hash(scheduleId + ":" + time), micros + 1);
    return Duration.ofNanos(drawn * 1_000);
  }

  private static long hash(String text) {
    return ByteBuffer.wrap(sha256(text)).getLong();
  }

  static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(
          "This Java runtime lacks SHA-256, which every runtime must have", impossible);
    }
  }
}
