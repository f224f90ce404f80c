package dev.holdfast.cli.run;

import dev.holdfast.api.Runs;
import dev.holdfast.api.UnknownRunException;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.cli.graph.Elapsed;
import dev.holdfast.cli.graph.Picture;
import dev.holdfast.cli.graph.TextGraph;
import dev.holdfast.engine.workflow.Graph;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Follows a run until it ends. On a terminal it redraws the graph whenever something has happened,
 * and every second while a step runs; elsewhere it prints a line for each event.
 */
final class RunWatch {
  /** Moves the cursor to the top left corner and clears what is below it. */
  static final String CLEAR = "\u001b[H\u001b[2J";

  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(250);
  private static final Duration BETWEEN_PICTURES = Duration.ofSeconds(1);
  private static final int PAGE = 500;

  private final Runs runs;
  private final Function<Run, Graph> graphs;
  private final RunId id;
  private final boolean redraws;
  private final PrintWriter out;
  private long last;
  private Instant drawn = Instant.EPOCH;

  /**
   * @param graphs finds the graph of a run, which changes if the run is moved
   * @param redraws whether the output is a terminal
   */
  RunWatch(Runs runs, Function<Run, Graph> graphs, RunId id, boolean redraws, PrintWriter out) {
    this.runs = runs;
    this.graphs = graphs;
    this.id = id;
    this.redraws = redraws;
    this.out = out;
  }

  /** Returns the run as it ended. */
  Run follow() throws InterruptedException {
    while (true) {
      // Read before the events: those of a run that has ended are then complete.
      Run run = runs.find(id).orElseThrow(() -> new UnknownRunException(id));
      boolean news = readEvents();
      if (redraws && (news || run.state().hasEnded() || isDue())) {
        draw(run);
      }
      if (run.state().hasEnded()) {
        out.println(ending(run));
        out.flush();
        return run;
      }
      TimeUnit.MILLISECONDS.sleep(BETWEEN_LOOKS.toMillis());
    }
  }

  private boolean isDue() {
    return Duration.between(drawn, Instant.now()).compareTo(BETWEEN_PICTURES) >= 0;
  }

  /** Reads all events after the last one; returns whether there were any. */
  private boolean readEvents() {
    long before = last;
    List<RunEvent> page;
    do {
      page = runs.events(id, last, PAGE);
      for (RunEvent event : page) {
        last = event.seq();
        if (!redraws) {
          out.println(line(event));
        }
      }
    } while (page.size() == PAGE);
    out.flush();
    return last > before;
  }

  private static String line(RunEvent event) {
    return "%s %s%s%s"
        .formatted(
            event.at(),
            event.kind(),
            event.step() == null ? "" : " " + event.step(),
            event.detail() == null ? "" : " " + event.detail());
  }

  private void draw(Run run) {
    drawn = Instant.now();
    out.print(CLEAR);
    out.printf("run %s  %s%n%n", run.id(), run.state());
    TextGraph.lines(Picture.of(graphs.apply(run), run, drawn), true).forEach(out::println);
    out.println();
    run.steps()
        .forEach(step ->
            step.failure().ifPresent(why -> out.printf("%s failed: %s%n", step.name(), why)));
    out.flush();
  }

  private static String ending(Run run) {
    String time =
        run.endedAt()
            .map(end -> " after " + Elapsed.of(Duration.between(run.createdAt(), end)))
            .orElse("");
    return "Run %s ended %s%s%s"
        .formatted(run.id(), run.state(), time, run.reason().map(why -> ": " + why).orElse("."));
  }
}
