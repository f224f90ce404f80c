package dev.holdfast.cli.ops;

import dev.holdfast.api.NodeInfo.Heartbeat;
import dev.holdfast.cli.print.DurationText;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Table;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists the stored heartbeats of a node. */
@Command(
    name = "beats",
    description = "List the latest heartbeats of a node, newest first.",
    footer =
        "Heartbeats are stored only for nodes with the liveness setting keepHeartbeats, and only"
            + " for the time set there.")
public final class BeatsCommand extends ClientCommand {

  @Parameters(paramLabel = "ID", description = "The id of the node, as listed by 'nodes'.")
  @SuppressWarnings("NullAway.Init")
  private String id;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "50",
      description = "The maximum number of heartbeats. Defaults to ${DEFAULT-VALUE}.")
  private int limit;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  protected int ask(Session session) {
    List<Heartbeat> beats = session.client().nodes().beats(id, limit);
    if (json) {
      Json.print(beats, session.out());
      return DONE;
    }
    if (beats.isEmpty()) {
      return session.report(
          false,
          "No heartbeats of node '%s' are stored: check the id with 'nodes', and set the liveness setting keepHeartbeats on the node."
              .formatted(id));
    }
    Table table = Table.of("at", "after", "incarnation", "host", "process");
    for (int i = 0; i < beats.size(); i++) {
      Heartbeat beat = beats.get(i);
      table.row(
          beat.at().truncatedTo(ChronoUnit.MILLIS),
          i + 1 < beats.size()
              ? DurationText.of(Duration.between(beats.get(i + 1).at(), beat.at()))
              : "",
          beat.incarnation(),
          beat.host(),
          beat.pid());
    }
    table.print(session.out());
    return DONE;
  }
}
