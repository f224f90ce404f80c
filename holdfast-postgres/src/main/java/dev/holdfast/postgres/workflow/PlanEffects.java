package dev.holdfast.postgres.workflow;

import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.engine.store.NewJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What carrying out plans did, to be announced after the commit. */
final class PlanEffects {
  final Map<String, Integer> ready = new TreeMap<>();
  final Map<RunId, RunState> ended = new HashMap<>();
  final Set<RunId> next = new HashSet<>();
  final Set<UUID> gates = new HashSet<>();
  final Set<UUID> stopping = new HashSet<>();
  final List<NewJob> jobs = new ArrayList<>();
  final Map<RunId, Long> seqs = new HashMap<>();
  int advanced;
  private @Nullable Duration timer;

  void created(NewJob job, boolean isReady) {
    jobs.add(job);
    if (isReady) {
      ready.merge(job.content().queue(), 1, Integer::sum);
    }
  }

  void ready(Map<String, Integer> released) {
    released.forEach((queue, count) -> ready.merge(queue, count, Integer::sum));
  }

  void stopped(StepJobs.Stopped stopped) {
    next.addAll(stopped.marked());
    stopping.addAll(stopped.stopping());
  }

  void cancelled(RunStates.Cancelled cancelled) {
    next.addAll(cancelled.look());
    cancelled.ended().forEach(run -> ended.put(run, RunState.CANCELLED));
    gates.addAll(cancelled.gates());
    ready(cancelled.ready());
    stopping.addAll(cancelled.stopping());
  }

  void told(RunEndings.Told told) {
    next.addAll(told.parents());
    gates.addAll(told.gates());
  }

  void timer(Duration in) {
    timer = timer == null || in.compareTo(timer) < 0 ? in : timer;
  }

  @Nullable Duration nextTimer() {
    return timer;
  }
}
