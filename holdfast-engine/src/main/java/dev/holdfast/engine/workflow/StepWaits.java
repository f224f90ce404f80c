package dev.holdfast.engine.workflow;

import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.WaitReason;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.RunFacts.MapCounts;
import dev.holdfast.engine.store.RunRow;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Finds out why steps of a run have not started, or not ended. */
final class StepWaits {
  /** About how many jobs and child runs the store is asked, at most. */
  private static final int MOST_ASKED = 20;

  /**
   * What is asked about what a step waits for.
   *
   * @param job returns why a job is not running
   * @param child returns the state of a child run
   */
  record Questions(
      Function<JobId, Optional<WaitReason>> job, Function<RunId, Optional<RunState>> child) {}

  private final RunRow row;
  private final RunRow.Details details;
  private final Graph graph;
  private final Questions questions;
  private int asked;

  StepWaits(RunRow row, RunRow.Details details, Graph graph, Questions questions) {
    this.row = row;
    this.details = details;
    this.graph = graph;
    this.questions = questions;
  }

  /** Returns why a step has not started or not ended; null if it has ended. */
  @Nullable String of(int at) {
    StepState state = letter(at);
    if (state.hasEnded() || row.state().hasEnded()) {
      return null;
    }
    Graph.Node node = graph.steps().get(at);
    return switch (state) {
      case PENDING -> pending(node);
      case WAITING -> whilePaused(waiting(node, details.timers().get(at)));
      default -> active(node, at);
    };
  }

  private StepState letter(int at) {
    return StepState.of(row.steps().charAt(at));
  }

  private String pending(Graph.Node node) {
    if (row.state() == RunState.QUEUED) {
      return "The run is queued: the maximum number of runs of workflow '%s' is active."
          .formatted(row.workflow());
    }
    List<String> open =
        node.after().stream()
            .filter(before -> !letter(before).hasEnded())
            .sorted()
            .map(before -> graph.steps().get(before).name())
            .toList();
    if (!open.isEmpty()) {
      return "Waits for %s.".formatted(String.join(", ", open));
    }
    if (row.state() == RunState.PAUSED) {
      return "The run is paused: resume it.";
    }
    return switch (node.part()) {
      case MAIN ->
          details.marked()
              ? "A node is about to decide whether it runs."
              : "No node has decided whether it runs: recoverStuck() repairs that.";
      case COMPENSATION -> "Runs if the run fails or is cancelled.";
      case FINALLY -> "Runs after all other steps.";
    };
  }

  private static String waiting(Graph.Node node, @Nullable Instant until) {
    String time = until == null ? "" : ", until %s at the latest".formatted(until);
    return node.work() instanceof Graph.Work.Signal signal
        ? "Waits for signal '%s'%s.".formatted(signal.signal(), time)
        : "Sleeps%s.".formatted(until == null ? "" : " until " + until);
  }

  private String whilePaused(String reason) {
    return row.state() == RunState.PAUSED ? reason + " The run is paused: resume it." : reason;
  }

  private String active(Graph.Node node, int at) {
    return switch (node.work()) {
      case Graph.Work.Child child -> child(details.children().get(at));
      case Graph.Work.Map map -> whilePaused(map(details.maps().get(at)));
      default -> job(details.jobs().get(at));
    };
  }

  private String child(@Nullable RunId id) {
    Optional<RunState> state =
        id == null || !mayAsk() ? Optional.empty() : questions.child.apply(id);
    return state.isEmpty() || state.get().hasEnded()
        ? "Its child run %s has not ended.".formatted(id)
        : "Its child run %s is %s.".formatted(id, state.get());
  }

  private static String map(@Nullable MapCounts counts) {
    if (counts == null) {
      return "Its jobs are about to be created.";
    }
    int ended = counts.succeeded() + counts.failed() + counts.cancelled();
    return "Of its %d jobs, %d have ended.".formatted(counts.total(), ended);
  }

  private String job(@Nullable Job job) {
    if (job == null || job.state().hasEnded()) {
      return details.marked()
          ? "Its job has ended, and a node is about to continue the run."
          : "Its job has ended, and no node has continued the run: recoverStuck() repairs that.";
    }
    String state = "Its job %s is %s".formatted(job.id(), job.state());
    if (job.state() == JobState.SCHEDULED && !job.failures().isEmpty()) {
      FailedAttempt last = job.failures().getLast();
      return "%s: attempt %d failed with %s, and the next one starts at %s."
          .formatted(state, last.attempt(), last.code(), job.runAt());
    }
    if (job.state() == JobState.RUNNING || !mayAsk()) {
      return state + ".";
    }
    return questions
        .job
        .apply(job.id())
        .filter(reason -> !(reason instanceof WaitReason.NotWaiting)) // It has just started.
        .map(reason -> "%s: %s".formatted(state, reason.describe()))
        .orElse(state + ".");
  }

  private boolean mayAsk() {
    asked++;
    return asked <= MOST_ASKED;
  }
}
