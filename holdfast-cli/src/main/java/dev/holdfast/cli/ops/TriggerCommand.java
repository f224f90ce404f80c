package dev.holdfast.cli.ops;

import dev.holdfast.cli.connect.ApiException;
import dev.holdfast.cli.connect.Group;
import dev.holdfast.cli.connect.Paging;
import dev.holdfast.cli.connect.Query;
import dev.holdfast.cli.connect.Session;
import dev.holdfast.cli.connect.Target;
import dev.holdfast.cli.print.Fields;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Listing;
import dev.holdfast.cli.print.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Stores, lists and controls triggers. */
@Command(
    name = "trigger",
    description = "Put, list, show, pause, resume and delete triggers.",
    synopsisSubcommandLabel = "COMMAND",
    footer = "A deleted trigger that a node declares is created again when that node restarts.")
public final class TriggerCommand extends Group {
  private static final String ID = "The id of the trigger.";

  @Command(name = "list", description = "List triggers: which events start which tasks.")
  int list(@Mixin Target target, @Mixin Paging paging) {
    return target.run(session ->
        session.list(
            session.get(session.path("triggers") + paging.to(new Query())),
            "triggers",
            Listing.of("triggers")
                .column("trigger", trigger -> Value.text(trigger, "id"))
                .column("paused", trigger -> Value.yesNo(trigger, "paused"))
                .column("event")
                .column("task")
                .column("queue")
                .column("conditions", TriggerCommand::conditions)));
  }

  private static String conditions(JsonNode trigger) {
    List<String> all = new ArrayList<>();
    trigger.get("conditions").forEach(condition -> all.add(condition(condition)));
    return String.join(" and ", all);
  }

  private static String condition(JsonNode condition) {
    String field = Value.text(condition, "field");
    return condition.properties().stream()
        .filter(entry -> !entry.getKey().equals("field"))
        .map(entry -> field + " " + test(entry))
        .collect(Collectors.joining(" and "));
  }

  private static String test(Map.Entry<String, JsonNode> entry) {
    String value = Value.text(Json.object().set("value", entry.getValue()), "value");
    return switch (entry.getKey()) {
      case "is" -> "is " + value;
      case "isNot" -> "is not " + value;
      case "isOneOf" -> "is one of " + value;
      case "exists" -> value.equals("false") ? "is missing" : "exists";
      case "isMissing" -> "is missing";
      case "isGreaterThan" -> "is greater than " + value;
      case "isLessThan" -> "is less than " + value;
      default -> entry.getKey() + " " + value;
    };
  }

  @Command(name = "show", description = "Show one trigger.")
  int show(@Mixin Target target, @Parameters(paramLabel = "ID", description = ID) String id) {
    return target.run(session -> {
      JsonNode trigger = known(session, id);
      if (session.json()) {
        return session.done(trigger, "");
      }
      Fields fields = new Fields(session.out());
      fields.line("trigger", id + (Value.yesNo(trigger, "paused").equals("yes") ? ", paused" : ""));
      fields.line("event", Value.text(trigger, "event"));
      String conditions = conditions(trigger);
      fields.line("if", conditions.isEmpty() ? null : conditions);
      fields.line("starts", Value.text(trigger, "task"));
      fields.line(
          "queue", Value.text(trigger, "queue") + ", priority " + Value.text(trigger, "priority"));
      fields.line("tags", Value.joined(trigger, "tags"));
      fields.line("window", Value.duration(trigger, "window"));
      fields.line("subject", Value.orNull(trigger, "subject"));
      fields.line("debounce", Value.duration(trigger, "debounce"));
      fields.line("max wait", Value.duration(trigger, "maxWait"));
      fields.line("cooldown", Value.duration(trigger, "cooldown"));
      session.out().flush();
      return 0;
    });
  }

  /** Reads a trigger; if it does not exist, the error suggests one. */
  private static JsonNode known(Session session, String id) {
    try {
      return session.get(session.path("triggers", id));
    } catch (ApiException missing) {
      throw missing.suggesting(
          id,
          () ->
              session.all(session.path("triggers"), "triggers").stream()
                  .map(trigger -> Value.text(trigger, "id"))
                  .toList());
    }
  }

  @Command(name = "put", description = "Create a trigger, or replace the one with this id.")
  int put(
      @Mixin Target target,
      @Parameters(index = "0", paramLabel = "ID", description = ID) String id,
      @Parameters(index = "1", paramLabel = "EVENT", description = "The event that it listens to.")
          String event,
      @Parameters(
              index = "2",
              paramLabel = "TASK",
              converter = NameConverter.OfTask.class,
              description = "The task of its jobs.")
          String task,
      @Option(
              names = "--where",
              paramLabel = "JSON",
              description =
                  "A condition, such as '{\"field\":\"kind\",\"is\":\"invoice\"}'. May be"
                      + " repeated.")
          @Nullable List<String> where,
      @Option(names = "--queue", paramLabel = "NAME", description = "The queue of its jobs.")
          @Nullable String queue) {
    ObjectNode body = Json.object().put("event", event).put("task", task);
    if (where != null) {
      var conditions = body.putArray("conditions");
      where.forEach(text -> conditions.add(target.checked(() -> Json.read(text))));
    }
    if (queue != null) {
      body.put("queue", queue);
    }
    return target.run(session ->
        session.done(
            session.put(session.path("triggers", id), body),
            "Trigger '%s' is stored.".formatted(id)));
  }

  @Command(name = "pause", description = "Pause a trigger: it ignores events until 'resume'.")
  int pause(@Mixin Target target, @Parameters(paramLabel = "ID", description = ID) String id) {
    return target.post(
        "Trigger '%s' is paused; it ignores events until it is resumed.".formatted(id),
        "triggers",
        id,
        "pause");
  }

  @Command(name = "resume", description = "Resume a trigger.")
  int resume(@Mixin Target target, @Parameters(paramLabel = "ID", description = ID) String id) {
    return target.post("Trigger '%s' is no longer paused.".formatted(id), "triggers", id, "resume");
  }

  @Command(name = "delete", description = "Delete a trigger.")
  int delete(@Mixin Target target, @Parameters(paramLabel = "ID", description = ID) String id) {
    return target.delete("Trigger '%s' is deleted.".formatted(id), "triggers", id);
  }
}
