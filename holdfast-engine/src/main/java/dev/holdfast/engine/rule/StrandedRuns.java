package dev.holdfast.engine.rule;

import dev.holdfast.engine.rule.EligibleNodes.Candidate;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether live nodes can continue a run, and what they lack. Every store calls it. The
 * modes of nodes do not matter: an operator has set them and can change them, while a version that
 * is missing must be deployed.
 */
public final class StrandedRuns {
  /** The code of the reason. */
  public static final String CODE = "VERSION_STRANDED";

  private StrandedRuns() {}

  /** What a job of a run that is READY needs. */
  public record Ready(String queue, String task, @Nullable String stack) {}

  /**
   * A job of a run that no node holds, and whose journal did not match the code of the node that
   * ran it last.
   *
   * @param tried the live nodes whose code its journal did not match since they started
   * @param message what did not match
   */
  public record Mismatch(
      String queue, String task, @Nullable String stack, Set<String> tried, String message) {}

  /**
   * Returns why no live node can continue a run; empty if one can.
   *
   * @param format the format of its graph
   * @param ready its READY jobs, at least one for each step that has any
   * @param mismatches its jobs whose journal did not match
   */
  public static Optional<String> reason(
      int format,
      Collection<Ready> ready,
      Collection<Mismatch> mismatches,
      List<Candidate> living) {
    if (living.stream().noneMatch(node -> node.graphFormat() >= format)) {
      return Optional.of(
          "%s: no live node reads graphs of format %d. Start a node of a newer version."
              .formatted(CODE, format));
    }
    return unknown(ready, living).or(() -> unmatched(mismatches, living));
  }

  private static Optional<String> unmatched(
      Collection<Mismatch> mismatches, List<Candidate> living) {
    return mismatches.stream()
        .filter(job ->
            living.stream()
                .filter(node -> node.has(job.queue, job.task, job.stack))
                .allMatch(node -> job.tried.contains(node.id())))
        .findFirst()
        .map(job ->
            "%s: no live node has code that matches a journal. Start a node of the version that wrote it, or move the run to another version. %s"
                .formatted(CODE, job.message));
  }

  private static Optional<String> unknown(Collection<Ready> ready, List<Candidate> living) {
    return ready.stream()
        .filter(job -> living.stream().noneMatch(node -> node.has(job.queue, job.task, job.stack)))
        .findFirst()
        .map(job ->
            "%s: no live node has a handler for task '%s' in queue '%s'%s. Start one, or move the run to another version."
                .formatted(
                    CODE,
                    job.task,
                    job.queue,
                    job.stack == null ? "" : " and stack '%s'".formatted(job.stack)));
  }
}
