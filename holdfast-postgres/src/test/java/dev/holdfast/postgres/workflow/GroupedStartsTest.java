package dev.holdfast.postgres.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.StoreException;
import dev.holdfast.engine.store.StartHere;
import dev.holdfast.tck.contract.RunDraft;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GroupedStartsTest {
  private static final int OTHERS = 20;

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<Integer> groups = new CopyOnWriteArrayList<>();
  private final CountDownLatch firstIsWritten = new CountDownLatch(1);
  private final CountDownLatch othersWait = new CountDownLatch(1);
  private volatile StoreException.Outcome failure = StoreException.Outcome.UNKNOWN;
  private volatile int failing = -1;
  private final GroupedStarts starts = new GroupedStarts(this::write);

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  /** Writes a group; the first one takes until the others wait. */
  private SimpleStart.Inserted write(List<SimpleStart.Start> runs) {
    int number = groups.size();
    groups.add(runs.size());
    firstIsWritten.countDown();
    if (number == 0) {
      try {
        assertThat(othersWait.await(30, TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException stop) {
        throw new IllegalStateException(stop);
      }
    }
    if (number == failing) {
      throw new StoreException(failure, "No.", null);
    }
    return new SimpleStart.Inserted(
        runs.stream().map(each -> each.run().id()).collect(Collectors.toSet()), Map.of());
  }

  private Future<Boolean> start() {
    return threads.submit(() ->
        starts
            .start(new SimpleStart.Start(new RunDraft(1, 1).build(), StartHere.NOTHING))
            .isPresent());
  }

  /** Starts a run and, while it is written, others. */
  private List<Future<Boolean>> startAll() throws InterruptedException {
    List<Future<Boolean>> all = new ArrayList<>();
    all.add(start());
    assertThat(firstIsWritten.await(30, TimeUnit.SECONDS)).isTrue();
    for (int i = 0; i < OTHERS; i++) {
      all.add(start());
    }
    while (starts.waiting() < OTHERS) {
      Thread.onSpinWait();
    }
    othersWait.countDown();
    return all;
  }

  @Test
  void runsThatArriveWhileAGroupIsWrittenFormTheNextOne() throws Exception {
    for (Future<Boolean> start : startAll()) {
      assertThat(start.get(30, TimeUnit.SECONDS)).isTrue();
    }

    assertThat(groups).containsExactly(1, OTHERS);
    assertThat(start().get(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aFailureIsThatOfAllRunsOfItsGroupAndOfNoOther() throws Exception {
    failing = 1;
    List<Future<Boolean>> all = startAll();

    assertThat(all.removeFirst().get(30, TimeUnit.SECONDS)).isTrue();
    for (Future<Boolean> start : all) {
      assertThatThrownBy(() -> start.get(30, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(StoreException.class);
    }
    assertThat(start().get(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void runsOfARejectedGroupAreNotInsertedSoThatEachCanBeTriedAlone() throws Exception {
    failing = 1;
    failure = StoreException.Outcome.REFUSED;
    List<Future<Boolean>> all = startAll();

    assertThat(all.removeFirst().get(30, TimeUnit.SECONDS)).isTrue();
    for (Future<Boolean> start : all) {
      assertThat(start.get(30, TimeUnit.SECONDS)).isFalse();
    }
  }
}
