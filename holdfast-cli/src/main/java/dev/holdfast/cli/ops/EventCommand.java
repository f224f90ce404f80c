package dev.holdfast.cli.ops;

import dev.holdfast.api.internal.TriggerNames;
import dev.holdfast.cli.connect.Group;
import dev.holdfast.cli.connect.Target;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Listing;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Publishes events. */
@Command(name = "event", description = "Publish events.", synopsisSubcommandLabel = "COMMAND")
public final class EventCommand extends Group {

  @Command(name = "publish", description = "Publish an event; its triggers enqueue jobs.")
  int publish(
      @Mixin Target target,
      @Parameters(
              index = "0",
              paramLabel = "EVENT",
              description = "The event name, such as resource.updated.")
          String event,
      @Parameters(
              index = "1",
              arity = "0..1",
              paramLabel = "PAYLOAD",
              defaultValue = "{}",
              description = "The payload as JSON. Defaults to {}.")
          String payload) {
    ObjectNode body = Json.object().put("event", target.checked(() -> TriggerNames.event(event)));
    body.set("payload", target.checked(() -> Json.read(payload)));
    return target.run(session -> {
      JsonNode published = session.create(session.path("events"), body);
      if (session.json() || published.get("outcomes").isEmpty()) {
        return session.done(
            published,
            "No active trigger listens to event '%s'; see 'trigger list'.".formatted(event));
      }
      return session.list(
          published,
          "outcomes",
          Listing.of("outcomes").column("trigger").column("decision").column("job"));
    });
  }
}
