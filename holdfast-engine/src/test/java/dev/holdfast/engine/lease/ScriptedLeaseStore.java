package dev.holdfast.engine.lease;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import dev.holdfast.api.lease.LeaseInfo;
import dev.holdfast.api.lease.LeaseRequest;
import dev.holdfast.api.lease.LeaseState;
import dev.holdfast.engine.store.LeaseStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A lease store that grants everything, and renews and ends leases as the test says. */
final class ScriptedLeaseStore implements LeaseStore {
  private long lastToken;
  final List<Integer> renewalGroups = new ArrayList<>();
  final List<Duration> ttls = new ArrayList<>();
  Runnable beforeAcquireReturns = () -> {};
  Runnable beforeRenewReturns = () -> {};
  Runnable beforeEndReturns = () -> {};
  boolean renews = true;

  /** Returns a hook that fails as if the connection had broken. */
  static Runnable away() {
    return () -> {
      throw new StoreException(Outcome.UNKNOWN, "The connection broke.", null);
    };
  }

  @Override
  public Result acquire(LeaseRequest request, UUID acquisition, String holder) {
    beforeAcquireReturns.run();
    return new Result.Granted(++lastToken, 1);
  }

  @Override
  public Set<Long> renew(List<Renewal> renewals) {
    renewalGroups.add(renewals.size());
    renewals.forEach(renewal -> ttls.add(renewal.ttl()));
    beforeRenewReturns.run();
    return renews
        ? renewals.stream().map(renewal -> renewal.claim().token()).collect(Collectors.toSet())
        : Set.of();
  }

  @Override
  public boolean end(LeaseClaim claim, Ending how) {
    beforeEndReturns.run();
    return true;
  }

  @Override
  public boolean reopen(String key) {
    return false;
  }

  @Override
  public List<LeaseInfo> reclaimExpired(int limit) {
    return List.of();
  }

  @Override
  public Optional<LeaseInfo> find(String key) {
    return Optional.empty();
  }

  @Override
  public List<LeaseInfo> list(@Nullable LeaseState state, @Nullable String after, int limit) {
    return List.of();
  }
}
