package dev.holdfast.api.job;

import java.util.UUID;

/**
 * The id of a job: a UUIDv7 made by whoever asks for the job, so that asking again after a lost
 * answer names the same job. Ids sort by the time they were made.
 */
public record JobId(UUID value) implements Comparable<JobId> {

  /** Read an id from its text. */
  public static JobId parse(String text) {
    try {
      return new JobId(UUID.fromString(text));
    } catch (IllegalArgumentException notAnId) {
      throw new IllegalArgumentException(
          "'%s' is not a job id; an id looks like 0197a3c2-5b1e-7c4d-9a31-0f3c2b1a4d5e."
              .formatted(text),
          notAnId);
    }
  }

  /** Order as the database orders UUIDs: byte by byte, unsigned. */
  @Override
  public int compareTo(JobId other) {
    int high =
        Long.compareUnsigned(value.getMostSignificantBits(), other.value.getMostSignificantBits());
    return high != 0
        ? high
        : Long.compareUnsigned(
            value.getLeastSignificantBits(), other.value.getLeastSignificantBits());
  }

  @Override
  public String toString() {
    return value.toString();
  }
}
