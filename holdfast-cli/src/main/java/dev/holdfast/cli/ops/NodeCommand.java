package dev.holdfast.cli.ops;

import dev.holdfast.api.NodeInfo.Heartbeat;
import dev.holdfast.api.NodeMode;
import dev.holdfast.api.Nodes;
import dev.holdfast.cli.connect.ApiException;
import dev.holdfast.cli.connect.ExitCode;
import dev.holdfast.cli.connect.Group;
import dev.holdfast.cli.connect.Paging;
import dev.holdfast.cli.connect.Query;
import dev.holdfast.cli.connect.Session;
import dev.holdfast.cli.connect.Target;
import dev.holdfast.cli.print.DurationText;
import dev.holdfast.cli.print.Fields;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Listing;
import dev.holdfast.cli.print.Table;
import dev.holdfast.cli.print.Value;
import dev.holdfast.engine.client.HoldfastClient;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Lists and controls nodes. */
@Command(
    name = "node",
    description = "List, show and control nodes. On a server it needs a key of the installation.",
    synopsisSubcommandLabel = "COMMAND",
    footer = "A node applies a change at its next heartbeat at the latest.")
public final class NodeCommand extends Group {
  private static final String ID = "The id of the node, as listed by 'node list'.";

  @Command(name = "list", description = "List live nodes and nodes that died recently.")
  int list(@Mixin Target target, @Mixin Paging paging) {
    return target.run(session ->
        session.list(
            session.get(Session.root("nodes") + paging.to(new Query())),
            "nodes",
            Listing.of("nodes")
                .column("node", node -> Value.text(node, "id"))
                .column("name")
                .column("alive", node -> Value.yesNo(node, "alive"))
                .time("started", "startedAt")
                .column(
                    "silent", node -> String.valueOf(Value.duration(node, "sinceLastHeartbeat")))
                .column("mode", NodeCommand::modes)
                .column("stack")
                .column("serves", node -> String.join(",", Value.list(node, "serves")))
                .column("roles", node -> String.join(",", Value.list(node, "roles")))
                .number("running")
                .number("capacity")
                .number("lost", node -> Value.text(node, "lostSlots"))
                .column("queues", node -> String.join(",", Value.list(node, "queues")))
                .number("tasks", node -> String.valueOf(Value.list(node, "tasks").size()))
                .number("tenants", node -> String.valueOf(Value.list(node, "tenants").size()))
                .column("version")));
  }

  private static String modes(JsonNode node) {
    StringBuilder text = new StringBuilder(Value.text(node, "mode"));
    node.get("modeOverrides")
        .properties()
        .forEach(override ->
            text.append(", %s %s".formatted(override.getKey(), override.getValue().asString())));
    return text.toString();
  }

  @Command(name = "show", description = "Show one node.")
  int show(@Mixin Target target, @Parameters(paramLabel = "ID", description = ID) String id) {
    return target.run(session -> {
      JsonNode node = session.get(Session.root("nodes", id));
      if (session.json()) {
        return session.done(node, "");
      }
      Fields fields = new Fields(session.out());
      fields.line("node", id + (Value.yesNo(node, "alive").equals("yes") ? "" : ", dead"));
      fields.line("name", Value.orNull(node, "name"));
      fields.line(
          "host", "%s, process %s".formatted(Value.text(node, "host"), Value.text(node, "pid")));
      fields.line("version", Value.orNull(node, "version"));
      fields.line("started", Value.orNull(node, "startedAt"));
      fields.line("silent", Value.duration(node, "sinceLastHeartbeat"));
      fields.line("mode", modes(node));
      fields.line(
          "slots",
          "%s of %s in use, %s lost"
              .formatted(
                  Value.text(node, "running"),
                  Value.text(node, "capacity"),
                  Value.text(node, "lostSlots")));
      for (String field : List.of("roles", "serves", "queues", "tasks", "tenants")) {
        fields.line(field, Value.joined(node, field));
      }
      session.out().flush();
      return 0;
    });
  }

  @Command(name = "mode", description = "Set the mode of a node.")
  int mode(
      @Mixin Target target,
      @Parameters(index = "0", paramLabel = "ID", description = ID) String id,
      @Parameters(
              index = "1",
              paramLabel = "MODE",
              description = "One of full, trigger-only and disabled.")
          String mode,
      @Option(
              names = "--task",
              paramLabel = "PATTERN",
              description = "Set an override for this task pattern only, such as ml::*.")
          @Nullable String task) {
    ObjectNode body =
        Json.object().put("mode", target.checked(() -> NodeMode.parse(mode)).toString());
    if (task != null) {
      body.put("pattern", task);
    }
    return target.run(
        session -> told(session, session.put(Session.root("nodes", id, "mode"), body), id));
  }

  private static int told(Session session, JsonNode result, String id) {
    return session.done(
        result,
        "%s live node(s) with id '%s' were notified.".formatted(Value.text(result, "changed"), id));
  }

  @Command(
      name = "drain",
      description = "Let a node start no more jobs; those that run finish. 'mode ID full' ends it.")
  int drain(@Mixin Target target, @Parameters(paramLabel = "ID", description = ID) String id) {
    return target.run(
        session -> told(session, session.post(Session.root("nodes", id, "drain")), id));
  }

  @Command(name = "clear", description = "Remove the mode overrides of a node.")
  int clear(
      @Mixin Target target,
      @Parameters(paramLabel = "ID", description = ID) String id,
      @Option(
              names = "--task",
              paramLabel = "PATTERN",
              description = "Remove the override of this task pattern only.")
          @Nullable String task) {
    String query = new Query().add("pattern", task).toString();
    return target.run(session ->
        told(session, session.delete(Session.root("nodes", id, "mode", "overrides") + query), id));
  }

  @Command(
      name = "fence",
      description =
          "Make a node give up everything it has claimed, and rejoin as a new incarnation (database"
              + " only).")
  int fence(@Mixin Target target, @Parameters(paramLabel = "ID", description = ID) String id) {
    return change(
        target, id, "%d live node(s) with id '%s' were notified.", nodes -> nodes.fence(id));
  }

  @Command(
      name = "recover",
      description =
          "Declare dead a node that is certainly gone, and recover its jobs now instead of after"
              + " its timeout (database only).")
  int recover(@Mixin Target target, @Parameters(paramLabel = "ID", description = ID) String id) {
    return change(
        target,
        id,
        "%d node(s) with id '%s' were declared dead; live nodes recover their jobs now.",
        nodes -> nodes.recover(id));
  }

  private static int change(
      Target target, String id, String sentence, ToIntFunction<Nodes> change) {
    return target.onDatabase(session -> {
      try (HoldfastClient client = HoldfastClient.on(session.store())) {
        int told = change.applyAsInt(client.nodes());
        if (told == 0) {
          throw ApiException.refused(
              ExitCode.NOT_FOUND,
              "There is no live node with id '%s'; see 'node list'.".formatted(id));
        }
        return session.done(Json.object().put("changed", told), sentence.formatted(told, id));
      }
    });
  }

  @Command(
      name = "beats",
      description = "List the latest heartbeats of a node, newest first (database only).",
      footer =
          "Heartbeats are stored only for nodes with the liveness setting keepHeartbeats, and only"
              + " for the time set there.")
  int beats(
      @Mixin Target target,
      @Parameters(paramLabel = "ID", description = ID) String id,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "50",
              description = "The maximum number of heartbeats. Defaults to ${DEFAULT-VALUE}.")
          int limit) {
    return target.onDatabase(session -> {
      try (HoldfastClient client = HoldfastClient.on(session.store())) {
        return beats(session, id, client.nodes().heartbeats(id, limit));
      }
    });
  }

  private static int beats(Session session, String id, List<Heartbeat> beats) {
    if (session.json()) {
      Json.print(beats, session.out());
      return ExitCode.DONE.number();
    }
    if (beats.isEmpty()) {
      throw ApiException.refused(
          ExitCode.NOT_FOUND,
          "No heartbeats of node '%s' are stored: check the id with 'node list', and set the liveness setting keepHeartbeats on the node."
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
    return ExitCode.DONE.number();
  }
}
