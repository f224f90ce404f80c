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

/** A book that grants everything, and renews and ends as the test says. */
final class ScriptedBook implements LeaseStore {
  private long lastToken;
  final List<Integer> renewalGroups = new ArrayList<>();
  final List<Duration> ttls = new ArrayList<>();
  Runnable beforeAcquireAnswers = () -> {};
  Runnable beforeRenewAnswers = () -> {};
  Runnable beforeEndAnswers = () -> {};
  boolean renews = true;

  /** What to let happen for the database to be away. */
  static Runnable away() {
    return () -> {
      throw new StoreException(Outcome.UNKNOWN, "The connection broke.", null);
    };
  }

  @Override
  public Result acquire(LeaseRequest request, UUID acquisition, String holder) {
    beforeAcquireAnswers.run();
    return new Result.Granted(++lastToken, 1);
  }

  @Override
  public Set<Long> renew(List<Renewal> renewals) {
    renewalGroups.add(renewals.size());
    renewals.forEach(renewal -> ttls.add(renewal.ttl()));
    beforeRenewAnswers.run();
    return renews
        ? renewals.stream().map(renewal -> renewal.claim().token()).collect(Collectors.toSet())
        : Set.of();
  }

  @Override
  public boolean end(LeaseClaim grip, Ending how) {
    beforeEndAnswers.run();
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
