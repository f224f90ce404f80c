package dev.holdfast.cli.ops;

import dev.holdfast.api.internal.TriggerNames;
import dev.holdfast.api.trigger.Published;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Publishes an event. */
@Command(name = "publish", description = "Publish an event; its triggers enqueue jobs.")
public final class PublishCommand extends ClientCommand {

  @Parameters(
      index = "0",
      paramLabel = "EVENT",
      description = "The event name, such as resource.updated.")
  @SuppressWarnings("NullAway.Init")
  private String event;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "PAYLOAD",
      defaultValue = "{}",
      description = "The payload as JSON. Defaults to {}.")
  private String payload = "{}";

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  private JsonNode value = Json.read("{}");

  @Override
  protected void check() {
    checked(() -> TriggerNames.event(event));
    value = checked(() -> Json.read(payload));
  }

  @Override
  protected int ask(Session session) {
    Published published = session.client().publish(event, value);
    if (json) {
      Json.print(published, session.out());
      return DONE;
    }
    if (published.outcomes().isEmpty()) {
      return session.report(
          true, "No active trigger listens to event '%s'; see 'triggers'.".formatted(event));
    }
    Table table = Table.of("trigger", "outcome", "job");
    for (Published.Outcome outcome : published.outcomes()) {
      table.row(outcome.trigger(), outcome.decision(), outcome.job() == null ? "" : outcome.job());
    }
    table.print(session.out());
    return DONE;
  }
}
