package dev.holdfast.cli.ops;

import dev.holdfast.api.trigger.TriggerStatus;
import dev.holdfast.api.trigger.Triggers;
import dev.holdfast.cli.print.Closest;
import dev.holdfast.cli.print.DurationText;
import dev.holdfast.cli.print.Fields;
import dev.holdfast.cli.print.Json;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows or controls a trigger. */
@Command(
    name = "trigger",
    description = "Show, pause, resume or remove a trigger.",
    footer = "A removed trigger that a node declares is created again when that node restarts.")
public final class TriggerCommand extends ClientCommand {

  /** The possible actions. */
  enum Action {
    SHOW,
    PAUSE,
    RESUME,
    REMOVE
  }

  @Parameters(
      index = "0",
      paramLabel = "ACTION",
      description = "One of ${COMPLETION-CANDIDATES}, in upper or lower case.")
  @SuppressWarnings("NullAway.Init")
  private Action action;

  @Parameters(index = "1", paramLabel = "ID", description = "The id of the trigger.")
  @SuppressWarnings("NullAway.Init")
  private String id;

  @Option(names = "--json", description = "With show: print JSON.")
  private boolean json;

  @Override
  protected int ask(Session session) {
    Triggers triggers = session.client().triggers();
    Optional<TriggerStatus> found = triggers.find(id);
    if (found.isEmpty()) {
      return missing(session, triggers.list().stream().map(t -> t.trigger().id()).toList());
    }
    return switch (action) {
      case SHOW -> show(session, TriggerView.of(found.get()));
      case PAUSE -> {
        triggers.pause(id);
        yield session.report(
            true, "Trigger '%s' is paused; it ignores events until it is resumed.".formatted(id));
      }
      case RESUME -> {
        triggers.resume(id);
        yield session.report(true, "Trigger '%s' is no longer paused.".formatted(id));
      }
      case REMOVE ->
          triggers.remove(id)
              ? session.report(true, "Trigger '%s' is removed.".formatted(id))
              : missing(session, List.of());
    };
  }

  private int show(Session session, TriggerView trigger) {
    if (json) {
      Json.print(trigger, session.out());
      return DONE;
    }
    Fields fields = new Fields(session.out());
    fields.line("trigger", trigger.id() + (trigger.paused() ? ", paused" : ""));
    fields.line("event", trigger.event());
    fields.line(
        "if", trigger.conditions().isEmpty() ? null : String.join(" and ", trigger.conditions()));
    fields.line("starts", trigger.task());
    fields.line("queue", trigger.queue() + ", priority " + trigger.priority());
    fields.line("tags", trigger.tags().isEmpty() ? null : String.join(", ", trigger.tags()));
    fields.line("window", DurationText.of(trigger.window()));
    fields.line("subject", trigger.subject());
    fields.line(
        "debounce", trigger.debounce() == null ? null : DurationText.of(trigger.debounce()));
    fields.line("max wait", trigger.maxWait() == null ? null : DurationText.of(trigger.maxWait()));
    fields.line(
        "cooldown", trigger.cooldown() == null ? null : DurationText.of(trigger.cooldown()));
    session.out().flush();
    return DONE;
  }

  private int missing(Session session, List<String> known) {
    return session.report(
        false,
        "There is no trigger '%s'%s; see 'triggers'."
            .formatted(
                id, Closest.to(id, known).map(", did you mean '%s'?"::formatted).orElse("")));
  }
}
