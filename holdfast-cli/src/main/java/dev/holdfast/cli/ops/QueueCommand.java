package dev.holdfast.cli.ops;

import dev.holdfast.cli.connect.Group;
import dev.holdfast.cli.connect.Paging;
import dev.holdfast.cli.connect.Query;
import dev.holdfast.cli.connect.Session;
import dev.holdfast.cli.connect.Target;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Listing;
import dev.holdfast.cli.print.Value;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Lists and controls queues. */
@Command(
    name = "queue",
    description = "List, pause, resume and limit queues.",
    synopsisSubcommandLabel = "COMMAND")
public final class QueueCommand extends Group {

  @Command(name = "list", description = "List queues that have jobs, settings or a node.")
  int list(@Mixin Target target, @Mixin Paging paging) {
    return target.run(session ->
        session.list(
            session.get(session.path("queues") + paging.to(new Query())),
            "queues",
            Listing.of("queues")
                .column("queue", queue -> Value.text(queue, "name"))
                .column("paused", QueueCommand::paused)
                .number("limit")
                .number("ready", queue -> count(queue, "ready", "moreReady"))
                .number("held", queue -> count(queue, "held", "moreHeld"))
                .number("scheduled", queue -> count(queue, "scheduled", "moreScheduled"))
                .number("oldest", queue -> String.valueOf(Value.duration(queue, "oldestReady")))));
  }

  /** Formats a count; a count that stopped at its upper bound gets a plus sign. */
  private static String count(JsonNode queue, String field, String more) {
    return Value.text(queue, field) + (Value.yesNo(queue, more).equals("yes") ? "+" : "");
  }

  private static String paused(JsonNode queue) {
    String reason = Value.orNull(queue, "pauseReason");
    return Value.yesNo(queue, "paused") + (reason == null ? "" : ": " + reason);
  }

  @Command(name = "pause", description = "Pause a queue: no node starts its jobs until 'resume'.")
  int pause(
      @Mixin Target target,
      @Parameters(
              paramLabel = "QUEUE",
              converter = NameConverter.OfQueue.class,
              description = "The name of the queue.")
          String queue,
      @Option(
              names = "--reason",
              paramLabel = "TEXT",
              description = "The reason, shown with the queue and its jobs.")
          @Nullable String reason,
      @Option(
              names = "--force",
              description = "Pause the queue even if it has no jobs, settings or node yet.")
          boolean force) {
    return target.run(session -> {
      if (!force) {
        known(session).require(queue, "Add --force to pause it before it has jobs or a node.");
      }
      ObjectNode body = reason == null ? null : Json.object().put("reason", reason);
      return session.done(
          session.post(session.path("queues", queue, "pause"), body),
          "Queue '%s' is paused; running jobs continue.".formatted(queue));
    });
  }

  @Command(name = "resume", description = "Resume a paused queue.")
  int resume(
      @Mixin Target target,
      @Parameters(
              paramLabel = "QUEUE",
              converter = NameConverter.OfQueue.class,
              description = "The name of the queue.")
          String queue) {
    return target.run(session -> {
      known(session).require(queue, "");
      return session.done(
          session.post(session.path("queues", queue, "resume")),
          "Queue '%s' is no longer paused.".formatted(queue));
    });
  }

  @Command(
      name = "limit",
      description =
          "Limit how many jobs of a queue are claimed at the same time in the whole cluster.")
  int limit(
      @Mixin Target target,
      @Parameters(
              index = "0",
              paramLabel = "QUEUE",
              converter = NameConverter.OfQueue.class,
              description = "The name of the queue.")
          String queue,
      @Parameters(
              index = "1",
              paramLabel = "MOST",
              converter = LimitConverter.class,
              description = "The maximum number of jobs, or 'none' to remove the limit.")
          OptionalInt most,
      @Option(
              names = "--force",
              description = "Limit the queue even if it has no jobs, settings or node yet.")
          boolean force) {
    return target.run(session -> {
      if (!force) {
        known(session).require(queue, "Add --force to limit it before it has jobs or a node.");
      }
      String path = session.path("queues", queue, "limit");
      return most.isEmpty()
          ? session.done(session.delete(path), "Queue '%s' has no limit.".formatted(queue))
          : session.done(
              session.put(path, Json.object().put("limit", most.getAsInt())),
              "Queue '%s' is limited to %d jobs at a time.".formatted(queue, most.getAsInt()));
    });
  }

  private static KnownNames known(Session session) {
    Set<String> names = new TreeSet<>();
    session
        .all(session.path("queues"), "queues")
        .forEach(queue -> names.add(Value.text(queue, "name")));
    return new KnownNames("queue", names);
  }
}
