package dev.holdfast.bench;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.JobRequest;
import dev.holdfast.api.policy.CrashPolicy;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.store.Store;
import java.util.ArrayList;
import java.util.List;

/** Jobs that run until the benchmark releases them. */
final class HoldTask {
  static final TaskType<Nothing, Void> TYPE =
      TaskType.of("bench::hold", Nothing.class)
          .with(options -> options.onCrash(CrashPolicy.retry(100)));

  record Nothing() {}

  private HoldTask() {}

  static void enqueue(Store store, int count) {
    List<JobRequest<Nothing, Void>> requests = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      requests.add(JobRequest.of(TYPE, new Nothing()));
    }
    try (Holdfast client = HoldfastClient.on(store)) {
      client.enqueueAll(requests);
    }
  }
}
