package dev.holdfast.cli.run;

import dev.holdfast.api.workflow.RunState;
import dev.holdfast.cli.connect.ExitCode;
import dev.holdfast.cli.connect.Polling;
import dev.holdfast.cli.connect.Query;
import dev.holdfast.cli.connect.Session;
import dev.holdfast.cli.connect.WatchOptions;
import dev.holdfast.cli.graph.TextGraph;
import dev.holdfast.cli.print.Bar;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Value;
import dev.holdfast.engine.workflow.Graph;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Follows a run until it ends. On a terminal it redraws the graph whenever something has happened,
 * and every second while a step runs; elsewhere it prints a line for each event.
 */
final class RunWatch {
  /** Moves the cursor to the top left corner and clears what is below it. */
  static final String CLEAR = "\u001b[H\u001b[2J";

  private static final Duration BETWEEN_PICTURES = Duration.ofSeconds(1);

  /** In case the stream of the server misses something. */
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(10);

  private static final int PAGE = 500;

  private final Session session;
  private final String id;
  private final boolean redraws;
  private final PrintWriter out;
  private String last = "0";
  private Instant drawn = Instant.EPOCH;
  private JsonNode run = Json.object();
  private String definition = "";
  private @Nullable Graph graph;

  /**
   * @param redraws whether the output is a terminal
   */
  RunWatch(Session session, String id, boolean redraws) {
    this.session = session;
    this.id = id;
    this.redraws = redraws;
    this.out = session.out();
  }

  /** Follows a run until it ends; returns the exit code. */
  static int follow(Session session, String id, WatchOptions options) {
    boolean redraws = options.redraws() && !session.json();
    return new RunWatch(session, id, redraws)
        .follow(options.polling(session, "run:" + id, redraws ? BETWEEN_PICTURES : BETWEEN_LOOKS));
  }

  /** Follows the run; returns the exit code. */
  int follow(Polling polling) {
    polling.until(this::look);
    if (session.json()) {
      Json.print(run, out);
    } else {
      out.println(ending());
      out.flush();
    }
    return (RunJson.state(run) == RunState.SUCCEEDED ? ExitCode.DONE : ExitCode.RUN_FAILED)
        .number();
  }

  /** Prints what is new; returns whether the run has ended. */
  private boolean look() {
    // Read before the events: those of a run that has ended are then complete.
    run = session.get(session.path("runs", id));
    boolean ended = RunJson.state(run).hasEnded();
    if (!session.json()) {
      boolean news = readEvents();
      if (redraws && (news || ended || isDue())) {
        draw();
      }
    }
    return ended;
  }

  private boolean isDue() {
    return Duration.between(drawn, Instant.now()).compareTo(BETWEEN_PICTURES) >= 0;
  }

  /** Reads all events after the last one; returns whether there were any. */
  private boolean readEvents() {
    String before = last;
    JsonNode page;
    do {
      Query query = new Query().add("after", last).add("limit", PAGE);
      page = session.get(session.path("runs", id, "events") + query).get("events");
      for (JsonNode event : page) {
        last = Value.text(event, "seq");
        if (!redraws) {
          out.println(line(event));
        }
      }
    } while (page.size() == PAGE);
    out.flush();
    return !last.equals(before);
  }

  private static String line(JsonNode event) {
    String step = Value.text(event, "step");
    String detail = Value.text(event, "detail");
    return "%s %s%s%s"
        .formatted(
            Value.text(event, "at"),
            Value.text(event, "kind"),
            step.isEmpty() ? "" : " " + step,
            detail.isEmpty() ? "" : " " + detail);
  }

  private void draw() {
    drawn = Instant.now();
    RunJson.Steps steps = RunJson.Steps.of(run);
    out.print(CLEAR);
    out.printf("run %s  %s%n", id, RunJson.state(run));
    out.printf("%s  %s steps%n%n", Bar.of(steps.ended(), steps.all()), steps);
    TextGraph.lines(RunJson.picture(graph(), run, drawn), true).forEach(out::println);
    out.println();
    run.get("steps")
        .forEach(step -> {
          String failure = Value.orNull(step, "failure");
          if (failure != null) {
            out.printf("%s failed: %s%n", Value.text(step, "name"), failure);
          }
        });
    out.flush();
  }

  /** Returns the graph of the run, which changes if the run is moved. */
  private Graph graph() {
    String pinned = Value.text(run, "definition");
    Graph known = graph;
    if (known == null || !pinned.equals(definition)) {
      known = RunJson.graph(session, run);
      graph = known;
      definition = pinned;
    }
    return known;
  }

  private String ending() {
    String reason = Value.text(run, "reason");
    return "Run %s ended %s%s%s"
        .formatted(
            id, RunJson.state(run), RunJson.took(run), reason.isEmpty() ? "." : ": " + reason);
  }
}
