package dev.holdfast.engine.lease;

import dev.holdfast.api.Page;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.lease.Acquisition;
import dev.holdfast.api.lease.LeaseInfo;
import dev.holdfast.api.lease.LeaseRequest;
import dev.holdfast.api.lease.LeaseState;
import dev.holdfast.api.lease.Leases;
import dev.holdfast.engine.store.LeaseStore.Result;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** Acquires, finds and lists leases. */
public final class LeaseAcquirer implements Leases {
  private static final int LONGEST_PAGE = 1_000;

  private final LeaseCalls calls;
  private final Supplier<UUID> ids;
  private final HeldLeases held;
  private final LeaseEvents events;
  private final Executor notifier;
  private final UnconfirmedAcquisitions unconfirmed = new UnconfirmedAcquisitions();

  /**
   * @param ids creates the ids of acquisitions
   * @param events notified of what happens to leases
   * @param notifier runs callbacks of users, outside the threads of the roles
   */
  LeaseAcquirer(
      LeaseCalls calls,
      Supplier<UUID> ids,
      HeldLeases held,
      LeaseEvents events,
      Executor notifier) {
    this.calls = calls;
    this.ids = ids;
    this.held = held;
    this.events = events;
    this.notifier = notifier;
  }

  @Override
  public Acquisition acquire(String key, Duration ttl) {
    return acquire(LeaseRequest.of(key, ttl));
  }

  @Override
  public Acquisition acquireOnce(String key, Duration ttl) {
    return acquire(new LeaseRequest(key, ttl, true));
  }

  private Acquisition acquire(LeaseRequest request) {
    UUID acquisition = unconfirmed.take(request.key()).orElseGet(ids);
    LeaseCalls.Reply reply;
    try {
      reply = calls.acquire(request, acquisition);
    } catch (StoreException noAnswer) {
      Moment now = calls.now();
      unconfirmed.remember(request.key(), acquisition, now, now.plus(request.ttl()));
      throw noAnswer;
    }
    return switch (reply.result()) {
      case Result.Granted granted -> {
        HeldLease lease =
            new HeldLease(calls, held, events, notifier, request, granted, reply.sentAt());
        events.leaseAcquired(lease);
        held.add(lease);
        yield new Acquisition.Acquired(lease);
      }
      case Result.Taken taken -> Acquisition.Busy.with(taken.by());
    };
  }

  @Override
  public boolean reopen(String key) {
    return calls.store().reopen(key);
  }

  @Override
  public List<LeaseInfo> reclaimExpired(int limit) {
    return calls.reclaimExpired(checked(limit));
  }

  @Override
  public Optional<LeaseInfo> find(String key) {
    return calls.store().find(key);
  }

  @Override
  public List<LeaseInfo> list(Page<String> page) {
    return calls.store().list(null, page.after().orElse(null), page.limit());
  }

  @Override
  public List<LeaseInfo> list(LeaseState state, Page<String> page) {
    return calls.store().list(state, page.after().orElse(null), page.limit());
  }

  private static int checked(int limit) {
    if (limit < 1 || limit > LONGEST_PAGE) {
      throw new IllegalArgumentException(
          "A limit of %d leases is not valid: ask for 1 to %d.".formatted(limit, LONGEST_PAGE));
    }
    return limit;
  }
}
