package dev.holdfast.engine.trigger;

import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.store.NewJob.IdUse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;

/** The ids of the jobs that an event starts. */
public final class EventIds {
  private static final long RANDOM = -1L >>> 2; // The two bits before are the variant.

  private final Function<String, UUID> ids;
  private final boolean chosen;

  private EventIds(Function<String, UUID> ids, boolean chosen) {
    this.ids = ids;
    this.chosen = chosen;
  }

  /** Returns new ids. */
  public static EventIds fresh(Supplier<UUID> ids) {
    return new EventIds(trigger -> ids.get(), false);
  }

  /**
   * Returns ids that are derived from the id of a call, so that a repeated call finds its jobs.
   * Their time is that of the call.
   */
  public static EventIds of(UUID call) {
    return new EventIds(trigger -> derived(call, trigger), true);
  }

  private static UUID derived(UUID call, String trigger) {
    byte[] name = trigger.getBytes(StandardCharsets.UTF_8);
    UUID hash =
        UUID.nameUUIDFromBytes(
            ByteBuffer.allocate(Long.BYTES + name.length)
                .putLong(call.getLeastSignificantBits())
                .put(name)
                .array());
    long low =
        (call.getLeastSignificantBits() & ~RANDOM) | (hash.getLeastSignificantBits() & RANDOM);
    return new UUID(call.getMostSignificantBits(), low);
  }

  JobId of(String trigger) {
    return new JobId(ids.apply(trigger));
  }

  IdUse use(boolean repeated) {
    if (chosen) {
      return IdUse.CHOSEN;
    }
    return repeated ? IdUse.REPEATED : IdUse.FRESH;
  }
}
