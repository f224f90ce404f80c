package dev.holdfast.cli.ops;

import dev.holdfast.api.lease.LeaseInfo;
import dev.holdfast.api.lease.LeaseState;
import dev.holdfast.cli.connect.ApiException;
import dev.holdfast.cli.connect.ExitCode;
import dev.holdfast.cli.connect.Group;
import dev.holdfast.cli.connect.Paging;
import dev.holdfast.cli.connect.Query;
import dev.holdfast.cli.connect.Session;
import dev.holdfast.cli.connect.Target;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Listing;
import dev.holdfast.cli.print.Value;
import dev.holdfast.engine.store.LeaseStore;
import dev.holdfast.engine.store.LeaseStore.Ending;
import dev.holdfast.engine.store.LeaseStore.LeaseClaim;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Lists, releases and reopens leases. */
@Command(
    name = "lease",
    description = "List leases; release or reopen one (database only).",
    synopsisSubcommandLabel = "COMMAND")
public final class LeaseCommand extends Group {
  private static final String RELEASED = "released by an operator";

  @Command(
      name = "list",
      description = "List leases, ordered by key. On a server it needs a key of the installation.")
  int list(@Mixin Target target, @Mixin Paging paging) {
    return target.run(session ->
        session.list(
            session.get(
                Session.root("leases") + paging.to(new Query().add("tenant", session.tenant()))),
            "leases",
            Listing.of("leases")
                .column("key")
                .column("state", LeaseCommand::state)
                .column("holder")
                .number("remaining", lease -> String.valueOf(Value.duration(lease, "remaining")))
                .number("token", lease -> Value.text(lease, "fencingToken"))
                .number("attempt")
                .time("acquired", "acquiredAt")
                .column("detail")));
  }

  private static String state(JsonNode lease) {
    String state = Value.text(lease, "state");
    boolean expired = "0s".equals(Value.duration(lease, "remaining"));
    return state.equals("CLAIMED") && expired ? "CLAIMED, expired" : state;
  }

  private static LeaseInfo find(LeaseStore leases, String key) {
    return leases
        .find(key)
        .orElseThrow(() ->
            ApiException.refused(
                ExitCode.NOT_FOUND, "There is no lease '%s'; see 'lease list'.".formatted(key)));
  }

  @Command(
      name = "release",
      description = "End a held lease as failed (database only).",
      footer =
          "Its holder notices when it next renews the lease; until then it may run at the same time"
              + " as the next holder.")
  int release(
      @Mixin Target target,
      @Parameters(paramLabel = "KEY", description = "The key of the lease.") String key) {
    return target.onDatabase(session -> {
      LeaseStore leases = session.store().leases();
      LeaseInfo seen = find(leases, key);
      // With the fencing token that was read, so that a newer holder keeps the lease.
      boolean released =
          seen.state() == LeaseState.CLAIMED
              && leases.end(new LeaseClaim(key, seen.fencingToken()), new Ending.Failed(RELEASED));
      if (!released) {
        throw ApiException.refused(
            ExitCode.CONFLICT,
            "Lease '%s' is not held; its state is %s.".formatted(key, seen.state()));
      }
      return session.done(
          Json.object(), "Lease '%s' of '%s' is released.".formatted(key, seen.holder()));
    });
  }

  @Command(
      name = "reopen",
      description =
          "Let a completed lease be acquired with acquireOnce before its TTL is over (database"
              + " only).")
  int reopen(
      @Mixin Target target,
      @Parameters(paramLabel = "KEY", description = "The key of the lease.") String key) {
    return target.onDatabase(session -> {
      LeaseInfo seen = find(session.store().leases(), key);
      if (!session.store().leases().reopen(key)) {
        throw ApiException.refused(
            ExitCode.CONFLICT,
            "Lease '%s' is %s; no completed run prevents acquiring it, so there is nothing to reopen."
                .formatted(key, seen.state()));
      }
      return session.done(Json.object(), "Lease '%s' can be acquired again.".formatted(key));
    });
  }
}
