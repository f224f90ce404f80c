package dev.holdfast.postgres.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GroupedCallsTest {
  private static final int WRITERS = 2;
  private static final int OTHERS = 20;
  private static final int BAD = 7;

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<Integer> groups = new CopyOnWriteArrayList<>();
  private final CountDownLatch firstAreWritten = new CountDownLatch(WRITERS);
  private final CountDownLatch othersWait = new CountDownLatch(1);
  private final CountDownLatch othersAreWritten = new CountDownLatch(1);
  private volatile StoreException.Outcome failure = StoreException.Outcome.UNKNOWN;
  private final GroupedCalls<Integer, String> calls = new GroupedCalls<>(number -> 1, this::write);
  private volatile boolean fails;

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  /**
   * Writes a group; the first takes until the others wait, the second until they are written.
   * Groups with BAD may fail.
   */
  private List<String> write(List<Integer> numbers) {
    int number;
    synchronized (groups) {
      number = groups.size();
      groups.add(numbers.size());
    }
    firstAreWritten.countDown();
    if (number < WRITERS) {
      await(number == 0 ? othersWait : othersAreWritten);
    } else {
      othersAreWritten.countDown();
    }
    if (fails && numbers.contains(BAD)) {
      throw new StoreException(failure, "No.", null);
    }
    return numbers.stream().map(each -> "result " + each).toList();
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException stop) {
      throw new IllegalStateException(stop);
    }
  }

  private Future<String> call(int number) {
    return threads.submit(() -> calls.call(number));
  }

  /** Makes two calls and, while they are written, others. */
  private List<Future<String>> callAll() throws InterruptedException {
    List<Future<String>> all = new ArrayList<>();
    all.add(call(0));
    all.add(call(1));
    assertThat(firstAreWritten.await(30, TimeUnit.SECONDS)).isTrue();
    for (int i = WRITERS; i < WRITERS + OTHERS; i++) {
      all.add(call(i));
    }
    while (calls.waiting() < OTHERS) {
      Thread.onSpinWait();
    }
    othersWait.countDown();
    return all;
  }

  private static String resultOf(Future<String> call) throws Exception {
    return call.get(30, TimeUnit.SECONDS);
  }

  @Test
  void callsThatArriveWhileAGroupIsWrittenFormTheNextOne() throws Exception {
    List<Future<String>> all = callAll();
    for (int i = 0; i < all.size(); i++) {
      assertThat(resultOf(all.get(i))).isEqualTo("result " + i);
    }

    assertThat(groups).containsExactly(1, 1, OTHERS);
    assertThat(resultOf(call(99))).isEqualTo("result 99");
  }

  @Test
  void aFailureIsThatOfAllCallsOfItsGroupAndOfNoOther() throws Exception {
    fails = true;
    List<Future<String>> all = callAll();

    assertThat(resultOf(all.removeFirst())).isEqualTo("result 0");
    assertThat(resultOf(all.removeFirst())).isEqualTo("result 1");
    for (Future<String> call : all) {
      assertThatThrownBy(() -> resultOf(call))
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(StoreException.class);
    }
    assertThat(resultOf(call(99))).isEqualTo("result 99");
  }

  @Test
  void aCallThatIsRejectedFailsAloneAndTheOthersOfItsGroupSucceed() throws Exception {
    fails = true;
    failure = StoreException.Outcome.REFUSED;
    List<Future<String>> all = callAll();

    for (int i = 0; i < all.size(); i++) {
      Future<String> call = all.get(i);
      if (i == BAD) {
        assertThatThrownBy(() -> resultOf(call))
            .isInstanceOf(ExecutionException.class)
            .hasCauseInstanceOf(StoreException.class);
      } else {
        assertThat(resultOf(call)).isEqualTo("result " + i);
      }
    }
  }
}
