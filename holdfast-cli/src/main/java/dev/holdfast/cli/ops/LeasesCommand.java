package dev.holdfast.cli.ops;

import dev.holdfast.api.lease.LeaseInfo;
import dev.holdfast.api.lease.LeaseState;
import dev.holdfast.cli.print.DurationText;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Table;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists leases. */
@Command(name = "leases", description = "List leases, ordered by key.")
public final class LeasesCommand extends ClientCommand {

  @Option(
      names = "--state",
      paramLabel = "STATE",
      description = "Select the leases in this state: ${COMPLETION-CANDIDATES}.")
  private @Nullable LeaseState state;

  @Option(
      names = "--after",
      paramLabel = "KEY",
      description =
          "Select the leases after this key. For the next page, give the last key of this page.")
  private @Nullable String after;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "50",
      description = "The maximum number of leases, from 1 to 1000. Defaults to 50.")
  private int limit = 50;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  protected void check() {
    if (limit < 1 || limit > 1000) {
      throw wrongUse("Limit %d is not valid: use 1 to 1000.".formatted(limit));
    }
  }

  @Override
  protected int ask(Session session) {
    List<LeaseInfo> leases = session.store().leases().list(state, after, limit);
    if (json) {
      Json.print(leases, session.out());
      return DONE;
    }
    Table table =
        Table.of("key", "state", "holder", "remaining", "token", "attempt", "acquired", "detail")
            .numbers("remaining", "token", "attempt");
    for (LeaseInfo lease : leases) {
      table.row(
          lease.key(),
          lease.state() == LeaseState.CLAIMED && !lease.isHeld()
              ? "CLAIMED, expired"
              : lease.state(),
          lease.holder(),
          DurationText.of(lease.remaining()),
          lease.fencingToken(),
          lease.attempt(),
          lease.acquiredAt().truncatedTo(ChronoUnit.SECONDS),
          lease.detail() == null ? "" : lease.detail());
    }
    table.print(session.out());
    return DONE;
  }
}
