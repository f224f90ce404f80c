package dev.holdfast.server.packages;

import dev.holdfast.api.internal.StarterTask;
import dev.holdfast.packages.jar.PackageId;
import dev.holdfast.server.control.ControlDatabase.Statements;
import dev.holdfast.server.tenant.Tenant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What belongs to versions of packages in the schema of a tenant: jobs, runs and schedules. */
final class LiveStacks {
  private LiveStacks() {}

  /**
   * Returns whether a live job or an open run belongs to a stack. No index leads to them: it reads
   * live jobs and open runs until it finds one.
   */
  static boolean isUsed(Statements statements, Tenant tenant, String stack) {
    return statements
        .query(
            """
            select exists (select from %1$s.run where stack = :stack)
              or exists (select from %1$s.job where stack = :stack)
            """
                .formatted(tenant.schema()))
        .bind("stack", stack)
        .mapTo(Boolean.class)
        .one();
  }

  /**
   * Returns which of these versions have jobs that are ready to run.
   *
   * @param queues the queues that this server serves
   */
  static Set<String> ready(
      Statements statements, Tenant tenant, Set<String> queues, List<StoredPackage> versions) {
    List<String> tasks = new ArrayList<>();
    List<String> stacks = new ArrayList<>();
    for (StoredPackage version : versions) {
      List<String> all = new ArrayList<>(version.tasks());
      version.workflows().keySet().forEach(workflow -> all.add(StarterTask.of(workflow)));
      for (String task : all) {
        tasks.add(task);
        stacks.add(version.id().toString());
      }
    }
    // By job_ready_stack and job_ready_suspect.
    return Set.copyOf(
        statements
            .query(
                """
                select distinct w.stack
                from unnest(:queues::text[]) q(queue)
                cross join unnest(:tasks::text[], :stacks::text[]) w(task, stack)
                where exists (
                    select from %1$s.job j
                    where j.state = 'READY' and j.stack is not null and j.suspicion is null
                      and j.queue = q.queue and j.task = w.task and j.stack = w.stack)
                  or exists (
                    select from %1$s.job j
                    where j.state = 'READY' and j.suspicion is not null
                      and j.queue = q.queue and j.task = w.task and j.stack = w.stack)
                """
                    .formatted(tenant.schema()))
            .bindArray("queues", String.class, queues)
            .bindArray("tasks", String.class, tasks)
            .bindArray("stacks", String.class, stacks)
            .mapTo(String.class)
            .list());
  }

  /** Lets the schedules of a package create jobs of this version from now on. */
  static void restamp(Statements statements, Tenant tenant, PackageId newest) {
    // Reads all schedules of the tenant.
    statements
        .update(
            """
            update %s.schedule set stack = :stack
            where starts_with(stack, :prefix) and stack <> :stack
            """
                .formatted(tenant.schema()))
        .bind("stack", newest.toString())
        .bind("prefix", newest.name() + "@") // A stack of a node may be the name alone.
        .execute();
  }
}
