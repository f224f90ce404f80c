package dev.holdfast.cli.ops;

import dev.holdfast.api.job.QueueStatus;
import dev.holdfast.cli.print.DurationText;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Table;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists queues. */
@Command(name = "queues", description = "List queues that have jobs, settings or a node.")
public final class QueuesCommand extends ClientCommand {

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  protected int ask(Session session) {
    List<QueueStatus> queues = session.client().queues().list();
    if (json) {
      Json.print(queues, session.out());
      return DONE;
    }
    Table table =
        Table.of("queue", "paused", "limit", "ready", "held", "scheduled", "oldest")
            .numbers("limit", "ready", "held", "scheduled", "oldest");
    for (QueueStatus queue : queues) {
      Integer limit = queue.limit();
      table.row(
          queue.name(),
          queue.paused() ? "yes" : "no",
          limit == null ? "" : limit,
          count(queue.ready(), queue.moreReady()),
          count(queue.held(), queue.moreHeld()),
          count(queue.scheduled(), queue.moreScheduled()),
          DurationText.of(queue.oldestReady()));
    }
    table.print(session.out());
    return DONE;
  }

  /** Formats a count; a count that stopped at its upper bound gets a plus sign. */
  static String count(long jobs, boolean more) {
    return jobs + (more ? "+" : "");
  }
}
