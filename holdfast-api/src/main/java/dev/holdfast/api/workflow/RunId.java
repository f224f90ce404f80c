package dev.holdfast.api.workflow;

import dev.holdfast.api.job.JobId;
import java.util.UUID;

/**
 * The id of a run: a UUIDv7. Ids sort by the time at which they were generated.
 *
 * @param value the UUID
 */
public record RunId(UUID value) implements Comparable<RunId> {

  /**
   * Parses an id.
   *
   * @throws IllegalArgumentException if the text is not a UUID
   */
  public static RunId parse(String text) {
    try {
      return new RunId(UUID.fromString(text));
    } catch (IllegalArgumentException notAnId) {
      throw new IllegalArgumentException(
          "'%s' is not a run id: give a UUID such as 0197a3c2-5b1e-7c4d-9a31-0f3c2b1a4d5e."
              .formatted(text),
          notAnId);
    }
  }

  /** Compares ids as the database compares UUIDs: byte by byte, unsigned. */
  @Override
  public int compareTo(RunId other) {
    return new JobId(value).compareTo(new JobId(other.value));
  }

  /** Returns the id in the form that {@link #parse} reads. */
  @Override
  public String toString() {
    return value.toString();
  }
}
