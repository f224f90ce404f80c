package dev.holdfast.server.api;

import dev.holdfast.server.http.Call;
import dev.holdfast.server.http.Code;
import dev.holdfast.server.node.WorkerNodes.Worker;
import dev.holdfast.server.worker.RemoteWorkers;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The worker that a call names. Its id is no secret: a caller that knows it could otherwise read
 * the jobs of the worker and end them. So the key of the call must be allowed to use all tasks of
 * the worker.
 */
public final class CallingWorker {
  private CallingWorker() {}

  /**
   * Finds the worker in the path of a call.
   *
   * @throws dev.holdfast.server.http.ProblemException if it is unknown or dead, or if the key may
   *     not use one of its tasks
   */
  public static Worker of(RemoteWorkers workers, Call call) {
    Worker worker = workers.find(call.tenant(), call.uuid("worker", Code.WORKER_NOT_FOUND));
    requirePermitted(call, worker);
    return worker;
  }

  /**
   * Checks an id in the body of a call, which may name a worker or nothing.
   *
   * @throws dev.holdfast.server.http.ProblemException if it is a worker with a task that the key
   *     may not use
   */
  static void requirePermitted(RemoteWorkers workers, Call call, @Nullable UUID id) {
    if (id != null && call.caller().isRestricted()) {
      workers.known(call.tenant(), id).ifPresent(worker -> requirePermitted(call, worker));
    }
  }

  private static void requirePermitted(Call call, Worker worker) {
    worker.tasks().forEach(task -> Patterns.requireTask(call, task));
  }
}
