package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.NodeMode;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeStore.Pulse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Which nodes a node watches. */
public abstract class WatchContract extends Contract {
  private static final int REACH = 3;

  private List<UUID> watchedBy(UUID watcher) {
    return store.nodes().look(watcher, REACH, false).watched().stream()
        .map(Pulse::incarnation)
        .toList();
  }

  private List<Worker> workers(int count) {
    List<Worker> workers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      workers.add(worker("node-" + i));
    }
    return workers;
  }

  private void disable(Worker worker) {
    assertThat(
            store
                .nodes()
                .setModes(worker.incarnation(), Modes.FULL, new Modes(NodeMode.DISABLED, Map.of())))
        .isTrue();
  }

  @Test
  void inASmallClusterEveryNodeWatchesAllOthersAndNotItself() {
    List<Worker> workers = workers(REACH + 1);

    for (Worker watcher : workers) {
      assertThat(watchedBy(watcher.incarnation()))
          .containsExactlyInAnyOrderElementsOf(
              workers.stream()
                  .map(Worker::incarnation)
                  .filter(other -> !other.equals(watcher.incarnation()))
                  .toList());
    }
  }

  @Test
  void inALargeClusterEveryNodeIsWatchedByTheSameNumberOfNodes() {
    List<Worker> workers = workers(20);
    Map<UUID, Integer> watchers = new HashMap<>();

    for (Worker watcher : workers) {
      List<UUID> watched = watchedBy(watcher.incarnation());
      assertThat(watched).hasSize(REACH).doesNotContain(watcher.incarnation());
      watched.forEach(one -> watchers.merge(one, 1, Integer::sum));
    }

    assertThat(watchers).hasSize(20).containsValue(REACH);
    assertThat(watchers.values()).containsOnly(REACH);
  }

  @Test
  void aNodeWatchesItsSuccessorsInTheOrderOfTheRandomPartOfTheirIds() {
    List<UUID> circle =
        workers(10).stream()
            .map(Worker::incarnation)
            .sorted(Comparator.comparing(id -> id.toString().substring(24)))
            .toList();

    assertThat(watchedBy(circle.get(0)))
        .containsExactlyInAnyOrder(circle.get(1), circle.get(2), circle.get(3));
    assertThat(watchedBy(circle.get(8)))
        .containsExactlyInAnyOrder(circle.get(9), circle.get(0), circle.get(1));
  }

  @Test
  void disabledNodesAreWatchedAndDoNotCountAsWatchers() {
    List<Worker> workers = workers(12);
    List<Worker> enabled = workers.subList(0, 5);
    workers.subList(5, 12).forEach(this::disable);
    Map<UUID, Integer> watchers = new HashMap<>();

    for (Worker watcher : enabled) {
      watchedBy(watcher.incarnation()).forEach(one -> watchers.merge(one, 1, Integer::sum));
    }

    assertThat(watchers).hasSize(12);
    assertThat(watchers.values()).containsOnly(REACH);
  }

  @Test
  void deadNodesAreNotWatched() {
    List<Worker> workers = workers(3);
    workers.get(1).leave();

    assertThat(watchedBy(workers.get(0).incarnation()))
        .containsExactly(workers.get(2).incarnation());
  }

  @Test
  void aLookReturnsWhetherANodeHoldsJobs() {
    Worker watched = worker();
    enqueueAll(job(), job());

    assertThat(pulse().busy()).isFalse();
    var running = watched.claimOne();
    assertThat(pulse().busy()).isTrue();
    watched.succeed(running);
    assertThat(pulse().busy()).isFalse();
    watched.prefetchOne();
    assertThat(pulse().busy()).isTrue();
  }

  private Pulse pulse() {
    return store.nodes().look(freshIncarnation(), REACH, false).watched().getFirst();
  }

  @Test
  void deadNodesAreReturnedOnlyOnRequest() {
    Worker dead = worker();
    enqueue(job());
    dead.claimOne();
    store.nodes().markDead(dead.incarnation(), 0, Duration.ofMinutes(2));

    assertThat(store.nodes().look(freshIncarnation(), REACH, false).dead()).isEmpty();
    assertThat(store.nodes().look(freshIncarnation(), REACH, true).dead()).hasSize(1);
  }
}
