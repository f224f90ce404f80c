package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.JobRequest;
import dev.holdfast.api.Page;
import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Claims.ReleasedClaim;
import dev.holdfast.tck.fault.FaultyStore;
import dev.holdfast.tck.fault.StoreMethod;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A call that is repeated after a lost reply has the same effect as one call. */
public abstract class LostReplyContract extends NodeTestBase {
  private final Map<String, AtomicInteger> runs = new ConcurrentHashMap<>();

  private String count(Note note) {
    runs.computeIfAbsent(note.text(), text -> new AtomicInteger()).incrementAndGet();
    return note.text();
  }

  private void enqueue(int count) {
    List<JobRequest<Note, ?>> requests = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      requests.add(JobRequest.of(ECHO, new Note("n" + i)));
    }
    client().enqueueAll(requests);
  }

  private void assertAllRanOnce(int count) {
    await()
        .atMost(SOON)
        .until(() ->
            client()
                .count(JobFilter.all())
                .byState()
                .equals(Map.of(JobState.SUCCEEDED, (long) count)));
    assertThat(runs).hasSize(count);
    assertThat(runs.values()).allSatisfy(ran -> assertThat(ran).hasValue(1));
  }

  @Test
  void jobsOfAClaimWhoseReplyWasLostUseNoAttemptAndRunOnce() {
    FaultyStore store =
        new FaultyStore(store()).loseReply(StoreMethod.CLAIM).loseReply(StoreMethod.CLAIM);
    enqueue(50);

    start(node(store).queue("default", 10).handle(ECHO, (note, context) -> count(note)));

    assertAllRanOnce(50);
    assertThat(store.allFaultsHappened()).isTrue();
    assertThat(client().list(JobFilter.all(), Page.first(100)))
        .extracting(Job::attempt)
        .containsOnly(1);
  }

  @Test
  void noJobRunsBeforeAClaimHasSucceeded() {
    FaultyStore store = new FaultyStore(store());
    for (int i = 0; i < 5; i++) {
      store.failNext(StoreMethod.CLAIM);
    }
    List<Boolean> claimed = new CopyOnWriteArrayList<>();
    enqueue(20);

    start(
        node(store)
            .handle(
                ECHO,
                (note, context) -> {
                  claimed.add(store.allFaultsHappened() && context.fencingToken() == 1);
                  return count(note);
                }));

    assertAllRanOnce(20);
    assertThat(claimed).hasSize(20).containsOnly(true);
  }

  @Test
  void aStartWhoseReplyWasLostIsRepeated() {
    FaultyStore store =
        new FaultyStore(store()).loseReply(StoreMethod.START).failNext(StoreMethod.START);
    enqueue(30);

    start(node(store).queue("default", 2, 10).handle(ECHO, (note, context) -> count(note)));

    assertAllRanOnce(30);
    assertThat(store.allFaultsHappened()).isTrue();
  }

  @Test
  void aFinishWhoseReplyWasLostIsRecognised() {
    FaultyStore store =
        new FaultyStore(store()).loseReply(StoreMethod.FINISH).loseReply(StoreMethod.FINISH);
    enqueue(50);

    start(node(store).queue("default", 10).handle(ECHO, (note, context) -> count(note)));

    assertAllRanOnce(50);
    // The first call may have written everything, and the second call may still follow.
    await().atMost(SOON).until(store::allFaultsHappened);
    assertThat(meters.get("holdfast.stale.writes.rejected").counter().count()).isZero();
  }

  @Test
  void aRetryWhoseReplyWasLostIsRecognised() throws Exception {
    FaultyStore store = new FaultyStore(store()).loseReply(StoreMethod.FINISH);
    HoldfastNode node =
        start(
            node(store)
                .handle(
                    ECHO,
                    (note, context) -> {
                      if (context.attempt() == 1) {
                        throw new IllegalStateException("once");
                      }
                      return "attempt " + context.attempt();
                    }));

    var job = node.client().enqueue(ECHO, new Note("x"));

    assertThat(node.client().await(job, SOON)).isEqualTo("attempt 2");
    assertThat(job(job.id()).failures()).hasSize(1);
    assertThat(meters.get("holdfast.stale.writes.rejected").counter().count()).isZero();
  }

  @Test
  void anEnqueueWhoseReplyWasLostCreatesOneJob() throws Exception {
    FaultyStore store =
        new FaultyStore(store()).loseReply(StoreMethod.ENQUEUE).failNext(StoreMethod.ENQUEUE);
    try (HoldfastClient client = HoldfastClient.on(store)) {
      var job = client.enqueue(ECHO, new Note("once"));

      assertThat(job(job.id()).state()).isEqualTo(JobState.READY);
      assertThat(client().count(JobFilter.all()).byState()).isEqualTo(Map.of(JobState.READY, 1L));
    }
  }

  @Test
  void aNodeSurvivesAFailedHeartbeat() {
    FaultyStore store =
        new FaultyStore(store())
            .failNext(StoreMethod.BEAT)
            .loseReply(StoreMethod.BEAT)
            .failNext(StoreMethod.BEAT);
    start(node(store).handle(ECHO, (note, context) -> count(note)));

    await().atMost(SOON).until(store::allFaultsHappened);
    enqueue(5);

    assertAllRanOnce(5);
  }

  @Test
  void aLostClaimInterruptsItsHandler() throws Exception {
    CountDownLatch interrupted = new CountDownLatch(1);
    HoldfastNode node =
        start(
            node()
                .queue("default", 1)
                .handle(
                    ECHO,
                    (note, context) -> {
                      if (context.attempt() > 1 || context.fencingToken() > 1) {
                        return "again, under token " + context.fencingToken();
                      }
                      try {
                        new CountDownLatch(1).await();
                      } catch (InterruptedException stop) {
                        interrupted.countDown();
                        throw stop;
                      }
                      return null;
                    }));
    var job = node.client().enqueue(ECHO, new Note("x"));
    awaitState(job.id(), JobState.RUNNING);

    // An operator requeues the job while it is claimed.
    store()
        .claims()
        .giveBack(node.incarnation(), List.of(new ReleasedClaim(new ClaimId(job.id(), 1), true)));

    interrupted.await();
    assertThat(node.client().await(job, SOON)).isEqualTo("again, under token 2");
  }

  @Test
  void aResultThatCannotBeStoredDoesNotAffectTheRestOfItsBatch() {
    PayloadCodec raw =
        new PayloadCodec() {
          private final JsonCodec json = new JsonCodec();

          @Override
          public String encode(Object value) {
            return value instanceof String text ? text : json.encode(value);
          }

          @Override
          public <T> @Nullable T decode(String text, TypeRef<T> type) {
            return json.decode(text, type);
          }
        };
    enqueue(40);
    start(
        node()
            .codec(raw)
            .handle(ECHO, (note, context) -> note.text().equals("n7") ? "poison \0" : "\"fine\""));

    await()
        .atMost(SOON)
        .until(() ->
            client()
                .count(JobFilter.all())
                .byState()
                .equals(Map.of(JobState.SUCCEEDED, 39L, JobState.FAILED, 1L)));
    assertThat(
            client().list(JobFilter.all().state(JobState.FAILED), Page.first(10)).get(0).failures())
        .extracting(FailedAttempt::code)
        .containsExactly(FailureCode.BAD_RESULT);
  }
}
