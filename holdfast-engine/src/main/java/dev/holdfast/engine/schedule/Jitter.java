package dev.holdfast.engine.schedule;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;

/** By how much a job is later than its due time: drawn from both, so that every node agrees. */
final class Jitter {

  private Jitter() {}

  /** Zero up to the most, evenly spread, in whole microseconds. */
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
      throw new IllegalStateException("Every JDK has SHA-256", impossible);
    }
  }
}
