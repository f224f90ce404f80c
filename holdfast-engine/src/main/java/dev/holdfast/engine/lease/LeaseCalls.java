package dev.holdfast.engine.lease;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import dev.holdfast.api.lease.LeaseInfo;
import dev.holdfast.api.lease.LeaseRequest;
import dev.holdfast.engine.meter.LeaseMeters;
import dev.holdfast.engine.store.LeaseStore;
import dev.holdfast.engine.store.LeaseStore.Ending;
import dev.holdfast.engine.store.LeaseStore.LeaseClaim;
import dev.holdfast.engine.store.LeaseStore.Renewal;
import dev.holdfast.engine.store.LeaseStore.Result;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * The calls that one holder sends to the store of its leases, each of them timed.
 *
 * @param holder the display name of the holder
 */
record LeaseCalls(LeaseStore store, String holder, Ticker ticker, LeaseMeters meters) {

  Moment now() {
    return ticker.now();
  }

  /** The result of a request to acquire a lease, and when the request was sent. */
  record Reply(Result result, Moment sentAt) {}

  /** Acquires a lease, and repeats the request if its reply is lost. */
  Reply acquire(LeaseRequest request, UUID acquisition) {
    Moment started = now();
    Reply reply =
        LeaseRetry.ask(
            "acquire lease '%s'".formatted(request.key()),
            () -> {
              Moment sentAt = now();
              return new Reply(store.acquire(request, acquisition, holder), sentAt);
            });
    Duration took = started.until(now());
    switch (reply.result()) {
      case Result.Granted granted -> meters.acquired(took, granted.isSteal());
      case Result.Taken taken -> meters.busy(took);
    }
    return reply;
  }

  /** Renews leases in one call, and applies the result to each. */
  void renew(Map<HeldLease, LeaseTime.Sent> leases) {
    Moment started = ticker.now();
    List<Renewal> renewals = new ArrayList<>();
    leases.forEach((lease, sent) -> renewals.add(lease.toRenewal(sent)));
    Set<Long> renewed;
    try {
      renewed = store.renew(renewals);
    } catch (StoreException noReply) {
      Duration took = started.until(ticker.now());
      leases.forEach((lease, sent) -> {
        meters.renewFailed(took);
        lease.notRenewed(sent, noReply.outcome() == Outcome.UNKNOWN);
      });
      throw noReply;
    }
    Duration took = started.until(ticker.now());
    leases.forEach((lease, sent) -> {
      if (renewed.contains(lease.fencingToken())) {
        meters.renewed(took);
        lease.renewed(sent);
      } else {
        meters.renewFailed(took);
        lease.refused();
      }
    });
  }

  /** Ends a lease, and returns whether it was still held under this claim. */
  boolean end(LeaseClaim claim, Ending how) {
    Moment started = now();
    boolean ours =
        LeaseRetry.ask("end lease '%s'".formatted(claim.key()), () -> store.end(claim, how));
    if (ours) {
      Duration took = started.until(now());
      switch (how) {
        case Ending.Done done -> meters.completed(took);
        case Ending.Failed failed -> meters.failed(took);
      }
    }
    return ours;
  }

  List<LeaseInfo> reclaimExpired(int most) {
    Moment started = now();
    List<LeaseInfo> reclaimed = store.reclaimExpired(most);
    meters.reclaimed(reclaimed.size(), started.until(now()));
    return reclaimed;
  }
}
