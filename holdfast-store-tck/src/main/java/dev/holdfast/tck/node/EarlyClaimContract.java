package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.JobRequest;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.workflow.Started;
import dev.holdfast.api.workflow.Step;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.store.ClaimRequest;
import dev.holdfast.engine.store.Store;
import dev.holdfast.tck.fault.StoreMethod;
import dev.holdfast.tck.simulation.Interposed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** A node whose jobs are shorter than a claim claims before it has free slots. */
public abstract class EarlyClaimContract extends NodeTestBase {
  private static final int SLOTS = 4;
  private static final Duration CLAIM_TAKES = Duration.ofMillis(5);

  private static final TaskType<Note, String> LONG =
      TaskType.of("test::long", Note.class, String.class);

  private static final TaskType<Note, Note> STEP =
      TaskType.of("test::step", Note.class, Note.class);

  private static final Workflow<Note, Note> CHAIN =
      Workflow.defineWithResult(
          "early::chain",
          Note.class,
          flow -> {
            Step<Note> first = flow.step("first", STEP, flow.input());
            Step<Note> second = flow.step("second", STEP, first);
            return flow.step("third", STEP, second);
          });

  private final AtomicInteger largestClaim = new AtomicInteger();

  /** Returns a store whose claims take as long as those of a database that is not on this host. */
  private Store distant() {
    return Interposed.on(
        store(),
        call -> {
          if (call.is(StoreMethod.CLAIM)
              && call.arguments().getFirst() instanceof ClaimRequest request) {
            largestClaim.accumulateAndGet(request.start(), Math::max);
            LockSupport.parkNanos(CLAIM_TAKES.toNanos());
          }
          if (call.is(StoreMethod.EXPRESS)) {
            LockSupport.parkNanos(CLAIM_TAKES.toNanos());
          }
          return call.proceed();
        });
  }

  private List<Enqueued<?>> enqueue(TaskType<Note, ?> type, int count) {
    List<JobRequest<Note, ?>> requests = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      requests.add(JobRequest.of(type, new Note("n" + i)));
    }
    return client().enqueueAll(requests);
  }

  private long count(JobState state) {
    return client().count(JobFilter.all().state(state)).of(state);
  }

  @Test
  void shortJobsAreClaimedBeforeTheirSlotsAreFreeAndNeverExceedThem() {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    AtomicInteger ran = new AtomicInteger();
    enqueue(ECHO, 2_000);

    start(
        node(distant())
            .queue("default", SLOTS)
            .handle(
                ECHO,
                (note, context) -> {
                  most.accumulateAndGet(running.incrementAndGet(), Math::max);
                  running.decrementAndGet();
                  ran.incrementAndGet();
                  return note.text();
                }));

    await().atMost(SOON).until(() -> count(JobState.SUCCEEDED) == 2_000);
    assertThat(ran).as("each job runs once").hasValue(2_000);
    assertThat(largestClaim.get()).as("jobs of one claim").isGreaterThan(SLOTS);
    assertThat(most.get()).as("jobs that ran at once").isLessThanOrEqualTo(SLOTS);
  }

  @Test
  void aNodeWithoutPrefetchClaimsForFreeSlotsOnly() {
    enqueue(ECHO, 500);

    start(node(distant()).queue("default", SLOTS, 0).handle(ECHO, (note, context) -> note.text()));

    await().atMost(SOON).until(() -> count(JobState.SUCCEEDED) == 500);
    assertThat(largestClaim.get()).as("jobs of one claim").isLessThanOrEqualTo(SLOTS);
  }

  @Test
  void slotsOfShortStepsAreLentToOtherRunsAndNeverExceeded() throws Exception {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    AtomicInteger ran = new AtomicInteger();
    Set<String> open = ConcurrentHashMap.newKeySet();
    AtomicInteger mostOpen = new AtomicInteger();
    List<Started<Note>> runs = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      runs.add(client().runs().start(CHAIN, new Note("n" + i)));
    }

    start(
        node(distant())
            .queue("default", SLOTS)
            .handle(
                STEP,
                (note, context) -> {
                  most.accumulateAndGet(running.incrementAndGet(), Math::max);
                  String name = note.text().replace("!", "");
                  if (note.text().endsWith("!!")) {
                    open.remove(name);
                  } else {
                    open.add(name);
                  }
                  mostOpen.accumulateAndGet(open.size(), Math::max);
                  ran.incrementAndGet();
                  running.decrementAndGet();
                  return new Note(note.text() + "!");
                }));

    for (int i = 0; i < runs.size(); i++) {
      assertThat(client().runs().await(runs.get(i), SOON)).isEqualTo(new Note("n" + i + "!!!"));
    }
    assertThat(ran).as("each step runs once").hasValue(3 * runs.size());
    assertThat(most.get()).as("steps that ran at once").isLessThanOrEqualTo(SLOTS);
    assertThat(mostOpen.get()).as("runs in progress at once").isGreaterThan(SLOTS);
  }

  @Test
  void jobsThatWaitTooLongForASlotAreHandedBackWithoutUsingAnAttempt() {
    CountDownLatch gate = new CountDownLatch(1);
    AtomicInteger waiting = new AtomicInteger();
    List<Enqueued<?>> all = new ArrayList<>(enqueue(ECHO, 1_000));
    all.addAll(enqueue(LONG, 60));

    start(
        node(distant())
            .queue("default", SLOTS)
            .handle(ECHO, (note, context) -> note.text())
            .handle(
                LONG,
                (note, context) -> {
                  waiting.incrementAndGet();
                  gate.await();
                  return note.text();
                }));

    await().atMost(SOON).until(() -> waiting.get() == SLOTS);
    await().atMost(SOON).until(() -> count(JobState.RUNNING) == SLOTS);
    assertThat(largestClaim.get()).as("jobs of one claim").isGreaterThan(SLOTS);
    // On a busy machine short jobs are handed back too, and may wait behind the long ones.
    assertThat(count(JobState.READY) + count(JobState.SUCCEEDED)).isEqualTo(all.size() - SLOTS);
    gate.countDown();
    await().atMost(SOON).until(() -> count(JobState.SUCCEEDED) == all.size());
    assertThat(all).allSatisfy(each -> assertThat(job(each.id()).attempt()).isEqualTo(1));
  }
}
