package dev.holdfast.cli.ops;

import dev.holdfast.api.lease.LeaseInfo;
import dev.holdfast.api.lease.LeaseState;
import dev.holdfast.engine.store.LeaseStore;
import dev.holdfast.engine.store.LeaseStore.Ending;
import dev.holdfast.engine.store.LeaseStore.LeaseClaim;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Ends a lease for its holder. */
@Command(
    name = "lease",
    description = "Release a lease that is held, or reopen one that is done.",
    footer = {
      "release: it ends as failed, and its holder learns of it when it renews the lease. Until then"
          + " the holder goes on, beside the next one.",
      "reopen: what was to be done once may be done again."
    })
public final class LeaseCommand extends ClientCommand {
  private static final String RELEASED = "released by an operator";

  /** What to do with it. */
  enum Action {
    RELEASE,
    REOPEN
  }

  @Parameters(
      index = "0",
      paramLabel = "ACTION",
      description = "What to do: ${COMPLETION-CANDIDATES}, in letters of any case.")
  @SuppressWarnings("NullAway.Init")
  private Action action;

  @Parameters(index = "1", paramLabel = "KEY", description = "The lease.")
  @SuppressWarnings("NullAway.Init")
  private String key;

  @Override
  int ask(Session session) {
    LeaseStore leases = session.store().leases();
    Optional<LeaseInfo> found = leases.find(key);
    if (found.isEmpty()) {
      return session.answer(false, "There is no lease '%s'; see 'leases'.".formatted(key));
    }
    return switch (action) {
      case RELEASE -> release(session, leases, found.get());
      case REOPEN ->
          leases.reopen(key)
              ? session.answer(true, "Lease '%s' may be acquired once more.".formatted(key))
              : session.answer(
                  false,
                  "Lease '%s' is %s, and nothing keeps it from being acquired for that reason."
                      .formatted(key, found.get().state()));
    };
  }

  /** Names the token that was seen: a holder that came meanwhile keeps the lease. */
  private int release(Session session, LeaseStore leases, LeaseInfo seen) {
    boolean released =
        seen.state() == LeaseState.CLAIMED
            && leases.end(new LeaseClaim(key, seen.fencingToken()), new Ending.Failed(RELEASED));
    return released
        ? session.answer(true, "Lease '%s' of '%s' is released.".formatted(key, seen.holder()))
        : session.answer(false, "Nobody holds lease '%s'; it is %s.".formatted(key, seen.state()));
  }
}
