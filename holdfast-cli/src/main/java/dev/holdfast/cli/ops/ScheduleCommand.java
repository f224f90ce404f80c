package dev.holdfast.cli.ops;

import dev.holdfast.cli.connect.ApiRequest;
import dev.holdfast.cli.connect.Group;
import dev.holdfast.cli.connect.Paging;
import dev.holdfast.cli.connect.Query;
import dev.holdfast.cli.connect.Session;
import dev.holdfast.cli.connect.Target;
import dev.holdfast.cli.print.DurationConverter;
import dev.holdfast.cli.print.Fields;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Listing;
import dev.holdfast.cli.print.Value;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Stores, lists and controls schedules. */
@Command(
    name = "schedule",
    description = "Put, list, show, pause, resume, fire and delete schedules.",
    synopsisSubcommandLabel = "COMMAND",
    footer = "A schedule that an application declares stays deleted until its declaration changes.")
public final class ScheduleCommand extends Group {
  private static final String ID = "The id of the schedule.";

  @Command(name = "list", description = "List schedules and when they fire next.")
  int list(@Mixin Target target, @Mixin Paging paging) {
    return target.run(session -> {
      JsonNode schedules = session.get(session.path("schedules") + paging.to(new Query()));
      session.list(schedules, "schedules", table());
      boolean asks = !session.json() && session.isDatabase();
      if (asks && !schedules.get("schedules").isEmpty() && !anyNodeFires(session)) {
        session
            .out()
            .println("No live node fires schedules: start a node whose mode is not disabled.");
        session.out().flush();
      }
      return 0;
    });
  }

  private static Listing table() {
    return Listing.of("schedules")
        .column("schedule", schedule -> Value.text(schedule, "id"))
        .column("paused", schedule -> Value.yesNo(schedule, "paused"))
        .column("next fire", schedule -> orNever(schedule, "nextFire"))
        .column("last fire", schedule -> orNever(schedule, "lastFire"))
        .column("timing")
        .column("task")
        .column("application");
  }

  private static boolean anyNodeFires(Session session) {
    return session.all(Session.root("nodes"), "nodes").stream()
        .anyMatch(node ->
            Value.yesNo(node, "alive").equals("yes")
                && Value.list(node, "roles").contains("scheduler")
                && !Value.text(node, "mode").equals("disabled"));
  }

  private static String orNever(JsonNode schedule, String field) {
    String time = Value.time(schedule, field);
    return time.isEmpty() ? "never" : time;
  }

  @Command(name = "show", description = "Show one schedule and when it fires next.")
  int show(@Mixin Target target, @Parameters(paramLabel = "ID", description = ID) String id) {
    return target.run(session -> {
      JsonNode schedule = session.get(session.path("schedules", id));
      if (session.json()) {
        return session.done(schedule, "");
      }
      Fields fields = new Fields(session.out());
      fields.line(
          "schedule", id + (Value.yesNo(schedule, "paused").equals("yes") ? ", paused" : ""));
      for (String field :
          List.of("timing", "task", "queue", "priority", "misfire", "overlap", "application")) {
        fields.line(field, Value.orNull(schedule, field));
      }
      fields.line("tags", Value.joined(schedule, "tags"));
      fields.line("payload", Value.json(schedule, "payload"));
      fields.line("last fire", orNever(schedule, "lastFire"));
      fields.line("next", Value.joined(schedule, "next"));
      session.out().flush();
      return 0;
    });
  }

  @Command(name = "put", description = "Create a schedule, or replace the one with this id.")
  int put(
      @Mixin Target target,
      @Parameters(index = "0", paramLabel = "ID", description = ID) String id,
      @Parameters(
              index = "1",
              paramLabel = "TASK",
              converter = NameConverter.OfTask.class,
              description = "The task of its jobs.")
          String task,
      @Parameters(
              index = "2",
              arity = "0..1",
              paramLabel = "PAYLOAD",
              defaultValue = "{}",
              description = "The payload of its jobs, as JSON. Defaults to {}.")
          String payload,
      @Option(
              names = "--cron",
              paramLabel = "TEXT",
              description = "When it fires, such as '0 8 * * MON'.")
          @Nullable String cron,
      @Option(
              names = "--zone",
              paramLabel = "ZONE",
              description = "The time zone of --cron. Defaults to UTC.")
          @Nullable String zone,
      @Option(
              names = "--every",
              paramLabel = "TIME",
              converter = DurationConverter.class,
              description = "Fire at this interval instead, such as 5m.")
          @Nullable Duration every,
      @Option(names = "--queue", paramLabel = "NAME", description = "The queue of its jobs.")
          @Nullable String queue) {
    if ((cron == null) == (every == null)) {
      throw target.wrongUse("Use either --cron or --every.");
    }
    ObjectNode body = Json.object().put("task", task);
    body.set("payload", target.checked(() -> Json.read(payload)));
    if (cron != null) {
      body.put("cron", cron);
    }
    if (zone != null) {
      body.put("zone", zone);
    }
    if (every != null) {
      body.put("every", every.toString());
    }
    if (queue != null) {
      body.put("queue", queue);
    }
    return target.run(session ->
        session.done(
            session.put(session.path("schedules", id), body),
            "Schedule '%s' is stored.".formatted(id)));
  }

  @Command(name = "pause", description = "Pause a schedule; jobs that it enqueued continue.")
  int pause(@Mixin Target target, @Parameters(paramLabel = "ID", description = ID) String id) {
    return target.post(
        "Schedule '%s' is paused; jobs that it enqueued continue.".formatted(id),
        "schedules",
        id,
        "pause");
  }

  @Command(name = "resume", description = "Resume a schedule.")
  int resume(@Mixin Target target, @Parameters(paramLabel = "ID", description = ID) String id) {
    return target.run(session -> {
      JsonNode result = session.post(session.path("schedules", id, "resume"));
      String next =
          session.json() ? "" : orNever(session.get(session.path("schedules", id)), "nextFire");
      return session.done(result, "Schedule '%s' is resumed; next fire: %s.".formatted(id, next));
    });
  }

  @Command(name = "fire", description = "Enqueue a job of a schedule now.")
  int fire(@Mixin Target target, @Parameters(paramLabel = "ID", description = ID) String id) {
    return target.run(session -> {
      JsonNode fired =
          session.send(ApiRequest.createOnce(session.path("schedules", id, "fire"), null));
      return session.done(
          fired, "Schedule '%s' enqueued job %s.".formatted(id, Value.text(fired, "job")));
    });
  }

  @Command(name = "delete", description = "Delete a schedule; jobs that it enqueued continue.")
  int delete(@Mixin Target target, @Parameters(paramLabel = "ID", description = ID) String id) {
    return target.delete("Schedule '%s' is deleted.".formatted(id), "schedules", id);
  }
}
