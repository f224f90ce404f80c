package dev.holdfast.postgres.workflow;

import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.Suspicion;
import dev.holdfast.postgres.intake.IntakeStatements;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The parts of statements that create jobs of steps and start some of them at once, for a node that
 * has slots for them: what a claim without rules of the cluster checks, it checks too.
 */
final class StartedSteps {
  // By node_pkey and task_rule_barred; there are few queues with rules.
  private static final String NODE =
      """
      (select n.alive from node_state n)
      and u.queue <> all ((select ruled_queues from node_state)::text[])
      and u.task <> all ((select ruled_tasks from node_state)::text[])\
      """;

  private static final String STATE =
      """
      select g.incarnation,
        exists (select from ${schema}.node n
          where n.incarnation = g.incarnation and n.state = 'ALIVE') as alive,
        array(select q.name from ${schema}.queue q
          where q.paused or q.max_held is not null) as ruled_queues,
        array(select b.task from ${schema}.task_rule b
          where b.max_held is not null or b.breaker <> 'CLOSED') as ruled_tasks
      from (select ?::uuid) g(incarnation)
      """;

  private StartedSteps() {}

  /**
   * Completes a statement: {@code node_state} is the common table expression of that name, with the
   * incarnation of the node as its parameter, and {@code jobs} inserts the jobs.
   */
  static String into(String statement) {
    return statement
        .replace("${node_state}", STATE)
        .replace(
            "${jobs}", IntakeStatements.startedSteps(NODE, "(select incarnation from node_state)"));
  }

  /** When and under which token a job was started. */
  record Start(long token, Instant at) {}

  /** Returns those of the jobs that were started, as a claim would return them. */
  static List<ClaimedJob> claimed(List<NewJob> jobs, Map<JobId, Start> started) {
    List<ClaimedJob> claimed = new ArrayList<>(started.size());
    for (NewJob job : jobs) {
      Start start = started.get(job.id());
      if (start != null) {
        claimed.add(claimed(job, start.token, start.at));
      }
    }
    return claimed;
  }

  private static ClaimedJob claimed(NewJob job, long token, Instant at) {
    NewJob.Content content = job.content();
    return new ClaimedJob(
        job.id(),
        token,
        content.task(),
        content.queue(),
        true,
        1,
        content.priority(),
        content.payload(),
        content.tags(),
        content.policy(),
        null,
        null,
        at,
        at,
        at,
        0,
        Suspicion.NONE,
        content.stamp().step());
  }
}
