package dev.holdfast.postgres.liveness;

import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Ties the nodes of a schema to processes, each of which sends one heartbeat for all schemas that
 * it works in. The rows of these nodes are not updated by heartbeats; the process that finds
 * another one dead marks them dead.
 */
@FunctionalInterface
public interface Membership {

  /**
   * Records that an incarnation in this schema belongs to the process, in the transaction that
   * registers the incarnation.
   *
   * @return the incarnation that the process had registered here before, which ends with this
   *     transaction; null for none
   * @throws dev.holdfast.api.StoreException if the process is not recorded as alive
   */
  @Nullable UUID join(Handle transaction, UUID incarnation);

  /**
   * Returns whether an incarnation that leaves stays registered, so that what it declares remains
   * declared while it has no work. It is then marked dead with its process, or when the process
   * joins again.
   */
  default boolean staysRegistered() {
    return true;
  }
}
