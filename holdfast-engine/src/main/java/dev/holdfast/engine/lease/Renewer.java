package dev.holdfast.engine.lease;

import dev.holdfast.api.StoreException;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.time.Moment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Renews leases when a third of their time is over: all that are due in one call. */
public final class Renewer implements Role {
  private static final Logger log = LoggerFactory.getLogger(Renewer.class);
  private static final int LARGEST_GROUP = 1_000;

  private final HeldLeases held;
  private final LeaseCalls calls;

  Renewer(HeldLeases held, LeaseCalls calls) {
    this.held = held;
    this.calls = calls;
  }

  @Override
  public String name() {
    return "renewer";
  }

  @Override
  public Moment tick(Moment now) {
    List<HeldLease> due =
        held.all().stream()
            .filter(lease -> !now.isBefore(lease.renewal()))
            .limit(LARGEST_GROUP)
            .toList();
    if (!due.isEmpty()) {
      renew(due, now);
    }
    return held.all().stream().map(HeldLease::renewal).reduce(Moment.NEVER, Moment::earlier);
  }

  private void renew(List<HeldLease> due, Moment now) {
    Map<HeldLease, LeaseTime.Sent> sent = new LinkedHashMap<>();
    due.forEach(lease -> sent.put(lease, lease.send(now)));
    try {
      calls.renew(sent);
    } catch (StoreException away) {
      log.warn(
          "{} leases could not be renewed, retrying until they expire: {}",
          due.size(),
          away.getMessage());
    }
  }
}
