package dev.holdfast.cli.run;

import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Table;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists the events of a run. */
@Command(name = "events", description = "List what happened to a run, oldest first.")
public final class EventsCommand extends OneRunCommand {
  private static final int MOST = 1_000;

  @Option(
      names = "--after",
      paramLabel = "N",
      defaultValue = "0",
      description = "Select the events after this number, the last one of the previous page.")
  private long after;

  @Option(
      names = "--limit",
      defaultValue = "100",
      description = "The maximum number of events, 1 to 1000. Defaults to 100.")
  private int limit;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  protected void check() {
    if (limit < 1 || limit > MOST) {
      throw wrongUse("A limit of %d is not valid: use 1 to %d.".formatted(limit, MOST));
    }
  }

  @Override
  protected int ask(Session session) {
    List<RunEvent> events = session.client().runs().events(id(), after, limit);
    if (json) {
      Json.print(events, session.out());
      return DONE;
    }
    Table table = Table.of("number", "time", "event", "step", "detail").numbers("number");
    for (RunEvent event : events) {
      table.row(
          event.seq(),
          event.at(),
          event.kind(),
          event.step() == null ? "" : event.step(),
          event.detail() == null ? "" : event.detail());
    }
    table.print(session.out());
    if (events.size() == limit) {
      session.out().printf("More may follow: --after %d%n", events.getLast().seq());
      session.out().flush();
    }
    return DONE;
  }
}
