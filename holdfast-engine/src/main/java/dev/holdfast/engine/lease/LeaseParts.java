package dev.holdfast.engine.lease;

import dev.holdfast.engine.meter.LeaseMeters;
import dev.holdfast.engine.store.LeaseStore;
import dev.holdfast.engine.time.Ticker;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * The components that all lease classes share.
 *
 * @param holder the display name of the holder of leases that are acquired here
 * @param ids creates the ids of acquisitions
 * @param events receives what happens to leases
 * @param notifier runs callbacks of users, outside the threads of the roles
 */
public record LeaseParts(
    LeaseStore book,
    String holder,
    HeldLeases held,
    Supplier<UUID> ids,
    Ticker ticker,
    LeaseMeters meters,
    LeaseEvents events,
    Executor notifier) {}
