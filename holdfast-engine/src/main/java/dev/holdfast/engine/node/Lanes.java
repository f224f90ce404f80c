package dev.holdfast.engine.node;

import dev.holdfast.engine.held.FairSlots;
import dev.holdfast.engine.held.Lane;
import dev.holdfast.engine.held.Slots;
import dev.holdfast.engine.held.TaskExecutor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Determines which executors a node needs, and which lanes lead to them. */
final class Lanes {
  private final NodeSettings settings;
  private final Map<String, TaskExecutor> executors;
  private final FairSlots.@Nullable Share share;

  /**
   * @param own custom executors of the user
   * @param share the slots of this node, if it shares them with other nodes of its process
   */
  Lanes(NodeSettings settings, Collection<TaskExecutor> own, FairSlots.@Nullable Share share) {
    this.settings = settings;
    this.share = share;
    this.executors = executors(own);
  }

  List<TaskExecutor> executors() {
    return List.copyOf(executors.values());
  }

  private Map<String, TaskExecutor> executors(Collection<TaskExecutor> ownExecutors) {
    Map<String, TaskExecutor> byName = new LinkedHashMap<>();
    for (TaskExecutor own : ownExecutors) {
      byName.put(own.name(), own);
    }
    for (String name : settings.router().executors()) {
      byName.computeIfAbsent(name, this::builtIn);
    }
    return byName;
  }

  private TaskExecutor builtIn(String name) {
    return switch (name) {
      case TaskExecutor.VIRTUAL -> TaskExecutor.virtual();
      case TaskExecutor.PLATFORM -> TaskExecutor.platform(settings.platformThreads());
      default ->
          throw new IllegalArgumentException(
              "Executor '%s' of a route does not exist: use %s or %s, or add it with executor(...)."
                  .formatted(name, TaskExecutor.VIRTUAL, TaskExecutor.PLATFORM));
    };
  }

  /**
   * Creates one lane per queue and executor that has tasks, and one per queue and task with a
   * limit.
   *
   * @param limits how many jobs of a task may run on this node at the same time
   */
  List<Lane> of(Set<String> tasks, Map<String, Integer> limits) {
    Map<String, List<String>> byExecutor = new LinkedHashMap<>();
    Map<String, Slots.Pool> limited = new LinkedHashMap<>();
    limits.forEach((task, most) -> limited.put(task, new Slots.Pool(most)));
    Map<String, Slots.Pool> executorPools = new LinkedHashMap<>();
    for (String task : tasks) {
      String name = settings.router().executorFor(task);
      executorPools.computeIfAbsent(name, fresh -> new Slots.Pool(executor(name).capacity()));
      if (limited.containsKey(task)) {
        continue;
      }
      byExecutor.computeIfAbsent(name, fresh -> new ArrayList<>()).add(task);
    }
    Slots.Pool nodePool = share != null ? share : new Slots.Pool(settings.maxConcurrent());
    Object reserving = share != null ? share.lock() : new Object();
    List<Lane> lanes = new ArrayList<>();
    settings
        .queues()
        .forEach((queue, own) -> {
          Slots.Pool queuePool = new Slots.Pool(own.concurrency());
          byExecutor.forEach((name, names) ->
              lanes.add(
                  new Lane(
                      queue,
                      executor(name),
                      names,
                      new Slots(
                          reserving, List.of(nodePool, queuePool, pool(executorPools, name))))));
          limited.forEach((task, taskPool) -> {
            String name = settings.router().executorFor(task);
            List<Slots.Pool> pools =
                List.of(nodePool, queuePool, pool(executorPools, name), taskPool);
            lanes.add(Lane.ofTask(queue, executor(name), task, new Slots(reserving, pools)));
          });
        });
    return lanes;
  }

  private static Slots.Pool pool(Map<String, Slots.Pool> pools, String name) {
    Slots.Pool pool = pools.get(name);
    if (pool == null) {
      throw new IllegalStateException("No slots for executor " + name);
    }
    return pool;
  }

  private TaskExecutor executor(String name) {
    TaskExecutor executor = executors.get(name);
    if (executor == null) {
      throw new IllegalStateException("No executor " + name);
    }
    return executor;
  }
}
