package dev.holdfast.testkit.memory;

import dev.holdfast.api.lease.LeaseInfo;
import dev.holdfast.api.lease.LeaseRequest;
import dev.holdfast.api.lease.LeaseState;
import dev.holdfast.engine.store.LeaseStore;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Stores leases. */
final class MemoryLeaseStore implements LeaseStore {
  private final Tables tables;
  private long lastToken;

  MemoryLeaseStore(Tables tables) {
    this.tables = tables;
  }

  @Override
  public Result acquire(LeaseRequest request, UUID acquisition, String holder) {
    return tables.transaction(now -> {
      LeaseRow old = tables.leases.get(request.key());
      if (old != null && !old.isAvailable(request, acquisition, now)) {
        return new Result.Taken(old.toInfo(now));
      }
      LeaseRow row = new LeaseRow(request, acquisition, holder, now);
      if (old != null && old.isRepeat(acquisition)) {
        row.token = old.token;
        row.attempt = old.attempt;
        row.extend(old.expiresAt, old.ttl);
      } else {
        row.token = ++lastToken;
        row.attempt = attemptAfter(old);
      }
      tables.leases.put(row.key, row);
      return new Result.Granted(row.token, row.attempt);
    });
  }

  private static int attemptAfter(@Nullable LeaseRow old) {
    return old != null && (old.state == LeaseState.CLAIMED || old.state == LeaseState.EXPIRED)
        ? old.attempt + 1
        : 1;
  }

  @Override
  public Set<Long> renew(List<Renewal> renewals) {
    return tables.transaction(now -> {
      Set<Long> renewed = new HashSet<>();
      for (Renewal renewal : renewals) {
        LeaseRow row = tables.leases.get(renewal.claim().key());
        if (row != null && row.isClaimedUnder(renewal.claim().token()) && !row.isOver(now)) {
          row.renew(renewal, now);
          renewed.add(row.token);
        }
      }
      return renewed;
    });
  }

  @Override
  public boolean end(LeaseClaim claim, Ending how) {
    return tables.transaction(now -> {
      LeaseState state =
          switch (how) {
            case Ending.Done done -> LeaseState.DONE;
            case Ending.Failed failed -> LeaseState.FAILED;
          };
      LeaseRow row = tables.leases.get(claim.key());
      if (row == null || row.token != claim.token()) {
        return false;
      }
      if (row.state == LeaseState.CLAIMED) {
        row.end(state, how instanceof Ending.Failed failed ? failed.detail() : null, now);
      }
      return row.state == state;
    });
  }

  @Override
  public boolean reopen(String key) {
    return tables.transaction(now -> {
      LeaseRow row = tables.leases.get(key);
      if (row == null || row.state != LeaseState.DONE || row.isOver(now)) {
        return false;
      }
      row.expiresAt = now;
      return true;
    });
  }

  @Override
  public List<LeaseInfo> reclaimExpired(int limit) {
    return tables.transaction(now -> {
      List<LeaseRow> over =
          tables.leases.values().stream()
              .filter(row -> row.state == LeaseState.CLAIMED && row.isOver(now))
              .sorted(Comparator.comparing(row -> row.expiresAt))
              .limit(limit)
              .toList();
      over.forEach(row -> row.end(LeaseState.EXPIRED, null, now));
      return over.stream().map(row -> row.toInfo(now)).toList();
    });
  }

  @Override
  public Optional<LeaseInfo> find(String key) {
    return tables.transaction(
        now -> Optional.ofNullable(tables.leases.get(key)).map(row -> row.toInfo(now)));
  }

  @Override
  public List<LeaseInfo> list(@Nullable LeaseState state, @Nullable String after, int limit) {
    return tables.transaction(now -> {
      NavigableMap<String, LeaseRow> rest =
          after == null ? tables.leases : tables.leases.tailMap(after, false);
      return rest.values().stream()
          .filter(row -> state == null || row.state == state)
          .limit(limit)
          .map(row -> row.toInfo(now))
          .toList();
    });
  }
}
