package dev.holdfast.server.worker;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * A claim call of a worker.
 *
 * @param number chosen by the worker, another one for each call; a repeat of a call has the same
 * @param start how many jobs to start
 * @param prefetch how many more jobs to claim without starting them
 * @param queues the queues to claim from
 * @param tasks the tasks to claim jobs of
 * @param stacks the stacks to claim jobs of, in addition to jobs without one
 * @param from the oldest call of which the worker still holds jobs
 * @param patience how long to wait if there are none
 */
public record ClaimCall(
    long number,
    int start,
    int prefetch,
    Set<String> queues,
    List<String> tasks,
    Set<String> stacks,
    long from,
    Duration patience) {

  int most() {
    return start + prefetch;
  }
}
