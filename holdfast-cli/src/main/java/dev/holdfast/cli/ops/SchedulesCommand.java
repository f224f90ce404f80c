package dev.holdfast.cli.ops;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.NodeMode;
import dev.holdfast.api.schedule.ScheduleStatus;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Table;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists schedules. */
@Command(name = "schedules", description = "List schedules and when they fire next.")
public final class SchedulesCommand extends ClientCommand {

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  protected int ask(Session session) {
    List<ScheduleStatus> schedules = session.client().schedules().list();
    if (json) {
      Json.print(schedules, session.out());
      return DONE;
    }
    Table table =
        Table.of("schedule", "paused", "next fire", "last fire", "timing", "task", "application");
    for (ScheduleStatus schedule : schedules) {
      String application = schedule.application();
      table.row(
          schedule.id(),
          schedule.paused() ? "yes" : "no",
          time(schedule.nextFire()),
          time(schedule.lastFire()),
          schedule.recurrence().timing(),
          schedule.task(),
          application == null ? "" : application);
    }
    table.print(session.out());
    if (!schedules.isEmpty() && !anyNodeFires(session.client())) {
      session
          .out()
          .println("No live node fires schedules: start a node whose mode is not disabled.");
      session.out().flush();
    }
    return DONE;
  }

  private static boolean anyNodeFires(Holdfast client) {
    return client.nodes().list().stream()
        .anyMatch(node ->
            node.alive() && node.roles().contains("scheduler") && node.mode() != NodeMode.DISABLED);
  }

  private static String time(@Nullable Instant time) {
    return time == null ? "never" : time.truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
