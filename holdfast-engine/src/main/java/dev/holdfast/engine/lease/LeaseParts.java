package dev.holdfast.engine.lease;

import dev.holdfast.engine.meter.LeaseMeters;
import dev.holdfast.engine.store.LeaseStore;
import dev.holdfast.engine.time.Ticker;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * What everything about leases needs.
 *
 * @param holder what people call whoever takes leases here
 * @param ids makes up acquisitions
 * @param notifier runs what users want to be told by, away from the roles
 */
public record LeaseParts(
    LeaseStore book,
    String holder,
    HeldLeases held,
    Supplier<UUID> ids,
    Ticker ticker,
    LeaseMeters meters,
    Executor notifier) {}
