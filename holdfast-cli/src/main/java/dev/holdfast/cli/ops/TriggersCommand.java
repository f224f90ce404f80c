package dev.holdfast.cli.ops;

import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.api.trigger.TriggerStatus;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Table;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists triggers. */
@Command(name = "triggers", description = "List triggers: which events start which tasks.")
public final class TriggersCommand extends ClientCommand {

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  protected int ask(Session session) {
    List<TriggerStatus> triggers = session.client().triggers().list();
    if (json) {
      Json.print(triggers.stream().map(TriggerView::of).toList(), session.out());
      return DONE;
    }
    Table table = Table.of("trigger", "paused", "event", "task", "queue", "conditions");
    for (TriggerStatus status : triggers) {
      Trigger trigger = status.trigger();
      table.row(
          trigger.id(),
          status.paused() ? "yes" : "no",
          trigger.event(),
          trigger.task(),
          trigger.queue(),
          String.join(" and ", TriggerView.of(status).conditions()));
    }
    table.print(session.out());
    return DONE;
  }
}
