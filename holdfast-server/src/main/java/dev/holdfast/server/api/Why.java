package dev.holdfast.server.api;

import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.WaitReason;
import dev.holdfast.server.http.JsonText;
import dev.holdfast.server.tenant.OpenTenant;
import dev.holdfast.server.tenant.Tenant;
import dev.holdfast.server.tenant.TenantState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Why jobs wait, as JSON: stable codes with sentences to display. */
final class Why {
  private static final JobFilter HELD = JobFilter.all().state(JobState.CLAIMED, JobState.RUNNING);

  private final Job job;
  private final Visible visible;

  /**
   * @param visible what the caller may see of the job
   */
  Why(Job job, Visible visible) {
    this.job = job;
    this.visible = visible;
  }

  /**
   * Returns why the job waits: first what keeps all work of its tenant from starting, then what
   * keeps this job. Empty if it does not wait.
   *
   * @param of its tenant
   */
  ArrayNode view(@Nullable WaitReason reason, OpenTenant of) {
    ArrayNode reasons = JsonText.array();
    if (reason == null || reason instanceof WaitReason.NotWaiting) {
      return reasons;
    }
    Tenant tenant = of.tenant();
    if (tenant.state() == TenantState.SUSPENDED) {
      reasons.add(
          view(
              "TENANT_SUSPENDED",
              since(reason),
              "The tenant is suspended, so none of its jobs start.",
              "Ask an operator of the installation to resume the tenant."));
    }
    Integer most = tenant.settings().maxHeld();
    if (most != null && isReady(reason) && of.store().queries().count(HELD, most).total() >= most) {
      reasons.add(
          view(
              "TENANT_FULL",
              since(reason),
              "The tenant runs as many jobs as it may at the same time (%d).".formatted(most),
              "Wait, or ask an operator of the installation to raise maxHeld of the tenant."));
    }
    return reasons.add(view(code(reason), since(reason), message(reason), remedy(reason)));
  }

  /** Returns whether the job could start if nothing else kept it. */
  private static boolean isReady(WaitReason reason) {
    return switch (reason) {
      case WaitReason.NotDue r -> false;
      case WaitReason.Parked r -> false;
      case WaitReason.RunPaused r -> false;
      case WaitReason.Prefetched r -> false;
      default -> true;
    };
  }

  private String message(WaitReason reason) {
    if (visible.nodes()) {
      return reason.describe();
    }
    return switch (reason) {
      case WaitReason.Prefetched r ->
          "A node has claimed the job and starts it when a slot is free.";
      case WaitReason.ModeForbids r ->
          "None of the %d live nodes that could run the job is in mode full for task '%s'."
              .formatted(r.nodes().size(), r.task());
      case WaitReason.SlotsLost r ->
          "%d of %d slots of queue '%s' are lost to handlers that ignore interruption."
              .formatted(r.lost(), r.slots(), r.queue());
      default -> reason.describe();
    };
  }

  /**
   * A job that is not due has waited since it was created; one whose queue is paused since the
   * pause, if that is later than when it was due; any other since it was due.
   */
  private @Nullable Instant since(WaitReason reason) {
    return switch (reason) {
      case WaitReason.NotDue r -> job.createdAt();
      case WaitReason.Parked r -> job.createdAt();
      case WaitReason.QueuePaused r when r.since() != null && r.since().isAfter(job.runAt()) ->
          r.since();
      default -> job.runAt();
    };
  }

  private static ObjectNode view(
      String code, @Nullable Instant since, String message, String remedy) {
    return JsonText.object()
        .put("code", code)
        .put("since", since)
        .put("message", message)
        .put("remedy", remedy)
        .done();
  }

  private static String code(WaitReason reason) {
    return switch (reason) {
      case WaitReason.NotDue r -> "NOT_DUE";
      case WaitReason.QueuePaused r -> "QUEUE_PAUSED";
      case WaitReason.QueueFull r -> "QUEUE_FULL";
      case WaitReason.TaskFull r -> "TASK_FULL";
      case WaitReason.BreakerOpen r -> "BREAKER_OPEN";
      case WaitReason.QueueNotServed r -> "QUEUE_NOT_SERVED";
      case WaitReason.TaskNotServed r -> "TASK_NOT_SERVED";
      case WaitReason.StackNotServed r -> "STACK_NOT_SERVED";
      case WaitReason.ModeForbids r -> "MODE_FORBIDS";
      case WaitReason.SlotsLost r -> "SLOTS_LOST";
      case WaitReason.CrashSuspect r -> "CRASH_SUSPECT";
      case WaitReason.Queued r -> "QUEUED";
      case WaitReason.Prefetched r -> "PREFETCHED";
      case WaitReason.RunPaused r -> "RUN_PAUSED";
      case WaitReason.Parked r -> "PARKED";
      case WaitReason.NotWaiting r -> "NOT_WAITING";
    };
  }

  private static String remedy(WaitReason reason) {
    return switch (reason) {
      case WaitReason.NotDue r -> "Wait, or requeue the job to run it now.";
      case WaitReason.QueuePaused r -> "POST queues/%s/resume.".formatted(r.queue());
      case WaitReason.QueueFull r -> "Wait, or raise the limit of the queue.";
      case WaitReason.TaskFull r -> "Wait, or raise the limit of the task.";
      case WaitReason.BreakerOpen r -> "Wait for the trial job, or fix what makes the task fail.";
      case WaitReason.QueueNotServed r -> "Start a server or node that serves the queue.";
      case WaitReason.TaskNotServed r -> "Deploy a handler for the task.";
      case WaitReason.StackNotServed r -> "Start a node that serves the stack.";
      case WaitReason.ModeForbids r -> "Set the mode of a node to full.";
      case WaitReason.SlotsLost r -> "Restart these nodes, and fix the handlers.";
      case WaitReason.CrashSuspect r -> "Wait; nodes start crash suspects slowly.";
      case WaitReason.Queued r -> "Wait, or add servers.";
      case WaitReason.Prefetched r -> "Wait for a free slot of that node.";
      case WaitReason.RunPaused r -> "POST runs/%s/resume.".formatted(r.run());
      case WaitReason.Parked r ->
          r.signal() == null
              ? "Wait, or requeue the job."
              : "Send signal '%s'.".formatted(r.signal());
      case WaitReason.NotWaiting r -> "None.";
    };
  }
}
