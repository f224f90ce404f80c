package dev.holdfast.api.job;

import java.util.UUID;

/**
 * The id of a job: a UUIDv7. The client generates it, so that an enqueue that is repeated after a
 * lost result refers to the same job. Ids sort by the time at which they were generated.
 *
 * @param value the UUID
 */
public record JobId(UUID value) implements Comparable<JobId> {

  /**
   * Parses an id.
   *
   * @throws IllegalArgumentException if the text is not a UUID
   */
  public static JobId parse(String text) {
    try {
      return new JobId(UUID.fromString(text));
    } catch (IllegalArgumentException notAnId) {
      throw new IllegalArgumentException(
          "'%s' is not a job id: give a UUID such as 0197a3c2-5b1e-7c4d-9a31-0f3c2b1a4d5e."
              .formatted(text),
          notAnId);
    }
  }

  /** Compares ids as the database compares UUIDs: byte by byte, unsigned. */
  @Override
  public int compareTo(JobId other) {
    int high =
        Long.compareUnsigned(value.getMostSignificantBits(), other.value.getMostSignificantBits());
    return high != 0
        ? high
        : Long.compareUnsigned(
            value.getLeastSignificantBits(), other.value.getLeastSignificantBits());
  }

  /** Returns the id in the form that {@link #parse} reads. */
  @Override
  public String toString() {
    return value.toString();
  }
}
