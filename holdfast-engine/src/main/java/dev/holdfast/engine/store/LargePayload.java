package dev.holdfast.engine.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Payloads of steps that a store keeps once for each run, however many of its jobs have them: the
 * context of a run, for example, that many of its steps read. They count towards the size of the
 * run, each once.
 */
public final class LargePayload {
  /** How many characters a payload may have to be stored with its job. */
  public static final int LONGEST_IN_JOB = 32 * 1024;

  private LargePayload() {}

  /** Returns whether a job belongs to a run and has a large payload. */
  public static boolean isIn(NewJob job) {
    String payload = job.content().payload();
    return job.content().stamp().step() != null
        && payload != null
        && payload.length() > LONGEST_IN_JOB;
  }

  /** Returns the id of the payload of a job, if it is large; null otherwise. */
  public static @Nullable UUID id(NewJob job) {
    return isIn(job) ? id(String.valueOf(job.content().payload())) : null;
  }

  private static UUID id(String payload) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      ByteBuffer hash = ByteBuffer.wrap(digest.digest(payload.getBytes(StandardCharsets.UTF_8)));
      return new UUID(hash.getLong(), hash.getLong());
    } catch (NoSuchAlgorithmException missing) {
      throw new IllegalStateException("This JVM has no SHA-256", missing);
    }
  }
}
