package dev.holdfast.testkit.workflow;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.Page;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.WaitReason;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunFilter;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.RunStep;
import dev.holdfast.api.workflow.StepState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/** Says in sentences what an open run waits for, with its child runs. */
final class WaitReport {
  private static final int MOST_JOBS = 3;
  private static final Page<JobId> ALL_JOBS = Page.first(1_000);

  private final Holdfast client;
  private final RunTree tree;
  private final List<String> lines = new ArrayList<>();

  private WaitReport(Holdfast client, RunTree tree) {
    this.client = client;
    this.tree = tree;
  }

  /** Returns a line for each thing that a run waits for; none if it has ended. */
  static List<String> of(Run run, Holdfast client, RunTree tree) {
    WaitReport report = new WaitReport(client, tree);
    report.add(run, "");
    return report.lines;
  }

  private void add(Run run, String prefix) {
    if (run.state().hasEnded()) {
      return;
    }
    String name = prefix.isEmpty() ? "the run" : "the child run of step '%s'".formatted(prefix);
    switch (run.state()) {
      case PAUSED ->
          lines.add(
              "%s is PAUSED%s: resume() or retry() it"
                  .formatted(name, run.reason().map(why -> " because of " + why).orElse("")));
      case QUEUED -> {
        lines.add(
            "%s is QUEUED behind the gate of workflow %s, which lets no more runs through: %s"
                .formatted(name, run.workflow(), activeRuns(run)));
        return;
      }
      case CANCELLING -> lines.add("%s is CANCELLING".formatted(name));
      case RUNNING, SUCCEEDED, FAILED, CANCELLED -> {}
    }
    String path = prefix.isEmpty() ? "" : prefix + "/";
    run.steps().stream()
        .filter(step -> !step.state().hasEnded())
        .forEach(step -> add(run, step, path + step.name()));
  }

  private String activeRuns(Run queued) {
    return client
        .runs()
        .list(
            RunFilter.all()
                .workflow(queued.workflow())
                .state(RunState.RUNNING, RunState.PAUSED, RunState.CANCELLING),
            Page.first(MOST_JOBS))
        .stream()
        .map(run -> "run %s is %s".formatted(run.id(), run.state()))
        .reduce((one, other) -> one + ", " + other)
        .orElse("no run of it is active");
  }

  private void add(Run run, RunStep step, String path) {
    switch (step.state()) {
      case WAITING -> lines.add("step '%s' %s%s".formatted(path, text(step), since(run, step)));
      case ACTIVE -> active(run, step, path);
      case PENDING -> {
        // Compensations and finally steps wait for all others; that says nothing.
        if (!step.after().isEmpty() && !step.kind().equals("compensation")) {
          lines.add("step '%s' %s".formatted(path, text(step)));
        }
      }
      case SUCCEEDED, FAILED, CANCELLED, SKIPPED -> {}
    }
  }

  private void active(Run run, RunStep step, String path) {
    if (step.child().isPresent()) {
      add(tree.read(step.child().get()), path);
    } else if (step.job().isPresent()) {
      client.find(step.job().get()).ifPresent(job -> add(run, step, job, path));
    } else {
      List<Job> jobs = jobsOf(run, step);
      jobs.stream().limit(MOST_JOBS).forEach(job -> add(run, step, job, path));
      if (jobs.size() > MOST_JOBS) {
        lines.add(
            "step '%s' has %d more jobs that have not ended"
                .formatted(path, jobs.size() - MOST_JOBS));
      }
    }
  }

  /** Returns the open jobs of a map. */
  private List<Job> jobsOf(Run run, RunStep step) {
    JobFilter open =
        JobFilter.all()
            .task(step.task().orElseThrow())
            .state(
                JobState.SCHEDULED,
                JobState.READY,
                JobState.CLAIMED,
                JobState.RUNNING,
                JobState.WAITING,
                JobState.ON_HOLD);
    return client.list(open, ALL_JOBS).stream()
        .filter(job -> Objects.equals(job.run(), run.id().value()))
        .toList();
  }

  private void add(Run run, RunStep step, Job job, String path) {
    Optional<WaitReason> reason = client.whyWaiting(job.id());
    String why =
        reason
            .map(known ->
                switch (known) {
                  case WaitReason.TaskNotServed missing ->
                      "waits for a handler of task '%s', to be added with handle(...),"
                          .formatted(missing.task());
                  case WaitReason.Parked parked when parked.signal() != null ->
                      "waits for signal '%s' in its handler".formatted(parked.signal());
                  default -> "has a job that is %s: %s".formatted(job.state(), known.describe());
                })
            .orElse("has a job that is " + job.state());
    lines.add("step '%s' %s%s%s".formatted(path, why, since(run, step), failures(job)));
  }

  private static String failures(Job job) {
    return job.lastFailure()
        .map(last ->
            " (attempt %d failed with %s: %s)"
                .formatted(last.attempt(), last.code(), last.message()))
        .orElse("");
  }

  private static String text(RunStep step) {
    String sentence = step.waitsFor().orElse("Has not ended.");
    String middle = sentence.substring(0, 1).toLowerCase(Locale.ROOT) + sentence.substring(1);
    return middle.endsWith(".") ? middle.substring(0, middle.length() - 1) : middle;
  }

  private String since(Run run, RunStep step) {
    RunEvent.Kind kind =
        step.state() == StepState.WAITING ? RunEvent.Kind.STEP_WAITING : RunEvent.Kind.STEP_STARTED;
    return TestedRun.events(client, run.id()).stream()
        .filter(event -> event.kind() == kind && step.name().equals(event.step()))
        .reduce((earlier, later) -> later)
        .map(event -> " since " + event.at())
        .orElse("");
  }
}
