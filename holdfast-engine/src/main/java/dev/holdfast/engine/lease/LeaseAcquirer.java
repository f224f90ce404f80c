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

/** Acquires, finds and lists leases. */
public final class LeaseAcquirer implements Leases {
  private static final int LONGEST_PAGE = 1_000;

  /** A result, and when its request was sent. */
  private record Reply(Result answer, Moment sentAt) {}

  private final LeaseParts parts;
  private final UnconfirmedAcquisitions unanswered = new UnconfirmedAcquisitions();

  public LeaseAcquirer(LeaseParts parts) {
    this.parts = parts;
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
    Moment began = parts.ticker().now();
    UUID acquisition = unanswered.take(request.key()).orElseGet(parts.ids());
    Reply reply;
    try {
      reply =
          LeaseRetry.ask(
              "acquire lease '%s'".formatted(request.key()),
              () -> {
                Moment sentAt = parts.ticker().now();
                return new Reply(
                    parts.book().acquire(request, acquisition, parts.holder()), sentAt);
              });
    } catch (StoreException noAnswer) {
      Moment now = parts.ticker().now();
      unanswered.remember(request.key(), acquisition, now, now.plus(request.ttl()));
      throw noAnswer;
    }
    Duration took = began.until(parts.ticker().now());
    return switch (reply.answer()) {
      case Result.Granted granted -> {
        parts.meters().acquired(took, granted.isSteal());
        HeldLease lease = new HeldLease(parts, request, granted, reply.sentAt());
        parts.events().leaseAcquired(lease);
        parts.held().add(lease);
        yield new Acquisition.Acquired(lease);
      }
      case Result.Taken taken -> {
        parts.meters().busy(took);
        yield Acquisition.Busy.with(taken.by());
      }
    };
  }

  @Override
  public boolean reopen(String key) {
    return parts.book().reopen(key);
  }

  @Override
  public List<LeaseInfo> reclaimExpired(int limit) {
    int most = checked(limit);
    Moment began = parts.ticker().now();
    List<LeaseInfo> reclaimed = parts.book().reclaimExpired(most);
    parts.meters().reclaimed(reclaimed.size(), began.until(parts.ticker().now()));
    return reclaimed;
  }

  @Override
  public Optional<LeaseInfo> find(String key) {
    return parts.book().find(key);
  }

  @Override
  public List<LeaseInfo> list(Page<String> page) {
    return parts.book().list(null, page.after().orElse(null), page.limit());
  }

  @Override
  public List<LeaseInfo> list(LeaseState state, Page<String> page) {
    return parts.book().list(state, page.after().orElse(null), page.limit());
  }

  private static int checked(int limit) {
    if (limit < 1 || limit > LONGEST_PAGE) {
      throw new IllegalArgumentException(
          "A limit of %d leases is not valid: ask for 1 to %d.".formatted(limit, LONGEST_PAGE));
    }
    return limit;
  }
}
