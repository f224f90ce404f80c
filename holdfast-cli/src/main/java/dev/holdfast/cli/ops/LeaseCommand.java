package dev.holdfast.cli.ops;

import dev.holdfast.api.lease.LeaseInfo;
import dev.holdfast.api.lease.LeaseState;
import dev.holdfast.engine.store.LeaseStore;
import dev.holdfast.engine.store.LeaseStore.Ending;
import dev.holdfast.engine.store.LeaseStore.LeaseClaim;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Releases or reopens a lease. */
@Command(
    name = "lease",
    description = "Release a held lease, or reopen a lease that is done.",
    footer = {
      "release: ends the lease as failed. Its holder notices when it next renews the lease; until"
          + " then it may run at the same time as the next holder.",
      "reopen: lets a completed lease be acquired with acquireOnce before its ttl is over."
    })
public final class LeaseCommand extends ClientCommand {
  private static final String RELEASED = "released by an operator";

  /** The possible actions. */
  enum Action {
    RELEASE,
    REOPEN
  }

  @Parameters(
      index = "0",
      paramLabel = "ACTION",
      description = "One of ${COMPLETION-CANDIDATES}, in upper or lower case.")
  @SuppressWarnings("NullAway.Init")
  private Action action;

  @Parameters(index = "1", paramLabel = "KEY", description = "The key of the lease.")
  @SuppressWarnings("NullAway.Init")
  private String key;

  @Override
  protected int ask(Session session) {
    LeaseStore leases = session.store().leases();
    Optional<LeaseInfo> found = leases.find(key);
    if (found.isEmpty()) {
      return session.report(false, "There is no lease '%s'; see 'leases'.".formatted(key));
    }
    return switch (action) {
      case RELEASE -> release(session, leases, found.get());
      case REOPEN ->
          leases.reopen(key)
              ? session.report(true, "Lease '%s' can be acquired again.".formatted(key))
              : session.report(
                  false,
                  "Lease '%s' is %s; no completed run prevents acquiring it, so there is nothing to reopen."
                      .formatted(key, found.get().state()));
    };
  }

  /** Passes the fencing token it has read, so that a newer holder keeps the lease. */
  private int release(Session session, LeaseStore leases, LeaseInfo seen) {
    boolean released =
        seen.state() == LeaseState.CLAIMED
            && leases.end(new LeaseClaim(key, seen.fencingToken()), new Ending.Failed(RELEASED));
    return released
        ? session.report(true, "Lease '%s' of '%s' is released.".formatted(key, seen.holder()))
        : session.report(
            false, "Lease '%s' is not held; its state is %s.".formatted(key, seen.state()));
  }
}
