package dev.holdfast.cli.run;

import dev.holdfast.cli.connect.ApiRequest;
import dev.holdfast.cli.connect.Group;
import dev.holdfast.cli.connect.Paging;
import dev.holdfast.cli.connect.Query;
import dev.holdfast.cli.connect.RunArgument;
import dev.holdfast.cli.connect.Target;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Listing;
import dev.holdfast.cli.print.Value;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Starts, shows and controls runs of workflows. */
@Command(
    name = "run",
    description = "Start, list, show, watch and control runs of workflows.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      StartCommand.class,
      ListCommand.class,
      ShowCommand.class,
      WatchCommand.class,
      SignalCommand.class,
      MoveCommand.class
    })
public final class RunCommand extends Group {
  private static final int MOST = 500;

  @Command(name = "events", description = "List what happened to a run, oldest first.")
  int events(
      @Mixin Target target,
      @Mixin RunArgument run,
      @Option(
              names = "--after",
              paramLabel = "N",
              defaultValue = "0",
              description =
                  "Select the events after this number, the last one of the previous page.")
          long after,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "100",
              description = "The maximum number of events, 1 to 500. Defaults to 100.")
          int limit) {
    if (limit < 1 || limit > MOST) {
      throw target.wrongUse("A limit of %d is not valid: use 1 to %d.".formatted(limit, MOST));
    }
    return target.run(session -> {
      // Events of a run that does not exist are none; that should be an error.
      session.get(session.path("runs", run.id()));
      Query query = new Query().add("after", after).add("limit", limit);
      JsonNode result = session.get(session.path("runs", run.id(), "events") + query);
      session.list(
          result,
          "events",
          Listing.of("events")
              .number("number", event -> Value.text(event, "seq"))
              .column("time", event -> Value.text(event, "at"))
              .column("event", event -> Value.text(event, "kind"))
              .column("step")
              .column("detail"));
      JsonNode events = result.get("events");
      if (!session.json() && events.size() == limit) {
        session
            .out()
            .println("There may be more: add --after " + Value.text(events.get(limit - 1), "seq"));
        session.out().flush();
      }
      return 0;
    });
  }

  @Command(
      name = "pause",
      description = "Pause a run and its child runs: no step starts until it is resumed.")
  int pause(@Mixin Target target, @Mixin RunArgument run) {
    return target.post(
        "Run %s is paused; steps that are running continue.".formatted(run.id()),
        "runs",
        run.id(),
        "pause");
  }

  @Command(name = "resume", description = "Resume a paused run and its child runs.")
  int resume(@Mixin Target target, @Mixin RunArgument run) {
    return target.post("Run %s is resumed.".formatted(run.id()), "runs", run.id(), "resume");
  }

  @Command(
      name = "cancel",
      description = "Cancel a run and its child runs. Compensations and finally steps still run.")
  int cancel(
      @Mixin Target target,
      @Mixin RunArgument run,
      @Option(
              names = "--reason",
              paramLabel = "TEXT",
              defaultValue = "by an operator",
              description = "Why, for the record. Defaults to 'by an operator'.")
          String reason) {
    return target.run(session ->
        session.done(
            session.post(
                session.path("runs", run.id(), "cancel"), Json.object().put("reason", reason)),
            "Run %s is being cancelled; compensations and finally steps still run."
                .formatted(run.id())));
  }

  @Command(
      name = "retry",
      description =
          "Retry the steps of a run that failed or were cancelled; those that succeeded keep their"
              + " outputs.")
  int retry(@Mixin Target target, @Mixin RunArgument run) {
    return target.post(
        "Run %s continues with the steps that did not succeed.".formatted(run.id()),
        "runs",
        run.id(),
        "retry");
  }

  @Command(
      name = "rerun",
      description = {
        "Start a new run with the results of another one.",
        "Steps before the given ones keep their outputs; the others run again."
      },
      footer = "--step-output pack='{\"boxes\": 2}' gives the new run another output of step pack.")
  int rerun(
      @Mixin Target target,
      @Mixin RunArgument run,
      @Option(
              names = "--from",
              paramLabel = "STEP",
              description =
                  "Run this step and everything after it again. May be repeated. Defaults to all"
                      + " steps.")
          @Nullable List<String> from,
      @Option(
              names = "--input",
              paramLabel = "JSON",
              description = "The input of the new run. Defaults to that of the original.")
          @Nullable String input,
      @Option(
              names = "--step-output",
              paramLabel = "STEP=JSON",
              description =
                  "Replace the output of a step that does not run again. May be repeated. Defaults"
                      + " to the outputs of the original.")
          @Nullable List<String> outputs) {
    ObjectNode body = Json.object();
    if (from != null) {
      from.forEach(body.putArray("from")::add);
    }
    if (input != null) {
      body.set("input", target.checked(() -> Json.read(input)));
    }
    if (outputs != null) {
      ObjectNode replaced = body.putObject("outputs");
      outputs.forEach(output -> replace(target, output, replaced));
    }
    return target.run(session -> {
      JsonNode started =
          session.send(ApiRequest.createOnce(session.path("runs", run.id(), "rerun"), body));
      return session.done(
          started, "Run %s repeats run %s.".formatted(Value.text(started, "id"), run.id()));
    });
  }

  private static void replace(Target target, String output, ObjectNode outputs) {
    int equals = output.indexOf('=');
    if (equals < 1) {
      throw target.wrongUse(
          "'%s' names no step: use STEP=JSON, such as pack='{\"boxes\": 2}'.".formatted(output));
    }
    String step = output.substring(0, equals);
    if (outputs.has(step)) {
      throw target.wrongUse("The output of step '%s' is given twice.".formatted(step));
    }
    outputs.set(step, target.checked(() -> Json.read(output.substring(equals + 1))));
  }

  @Command(
      name = "items",
      description = "List the elements of a map with their states, outputs and failures.")
  int items(
      @Mixin Target target,
      @Mixin RunArgument run,
      @Parameters(index = "1", paramLabel = "STEP", description = "The name of the map.")
          String step,
      @Mixin Paging paging) {
    return target.run(session ->
        session.list(
            session.get(
                session.path("runs", run.id(), "steps", step, "items") + paging.to(new Query())),
            "items",
            Listing.of("elements")
                .number("position")
                .column("label")
                .column("state")
                .column(
                    "output", item -> Objects.requireNonNullElse(Value.json(item, "output"), ""))
                .column("failure")));
  }

  @Command(
      name = "recover",
      description = {
        "Repair runs that are inconsistent with their jobs, and continue them.",
        "Nodes do this regularly; use it after manual changes of the database."
      })
  int recover(@Mixin Target target) {
    return target.run(session -> {
      JsonNode recovered = session.post(session.path("runs", "recover"));
      List<String> repairs = Value.list(recovered, "repairs");
      if (!session.json()) {
        repairs.forEach(session.out()::println);
      }
      return session.done(
          recovered,
          repairs.isEmpty()
              ? "No run needed a repair."
              : "Repaired as listed (%d); the runs continue.".formatted(repairs.size()));
    });
  }
}
