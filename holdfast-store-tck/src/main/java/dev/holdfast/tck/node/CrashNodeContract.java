package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.policy.CrashPolicy;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.store.ClaimRequest;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.NodeSnapshot;
import dev.holdfast.engine.store.NodeStore.Advice;
import dev.holdfast.engine.store.NodeStore.NodeRegistration;
import dev.holdfast.engine.store.NodeStore.Timeouts;
import dev.holdfast.engine.store.Recovery.Holder;
import dev.holdfast.engine.store.Recovery.RecoveryAction;
import dev.holdfast.engine.store.Recovery.Result;
import dev.holdfast.engine.store.Store;
import dev.holdfast.engine.store.Suspicion;
import dev.holdfast.tck.fault.StoreMethod;
import dev.holdfast.tck.simulation.Interposed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** How nodes run jobs that were recovered from dead or fenced nodes. */
public abstract class CrashNodeContract extends NodeTestBase {
  private final Semaphore release = new Semaphore(0);
  private final Set<String> running = ConcurrentHashMap.newKeySet();

  /** Records that it runs, and waits until it is released. */
  private String hold(Note note) throws InterruptedException {
    running.add(note.text());
    try {
      release.acquire();
      return "done";
    } finally {
      running.remove(note.text());
    }
  }

  private List<Enqueued<String>> enqueue(String name, int count) {
    List<Enqueued<String>> jobs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      jobs.add(client().enqueue(ECHO, new Note(name + " " + i)));
    }
    return jobs;
  }

  /** Enqueues jobs with two recorded crashes or more. */
  private List<Enqueued<String>> suspects(String name, int count, Suspicion suspicion) {
    return suspects(name, count, suspicion, Duration.ZERO);
  }

  private List<Enqueued<String>> suspects(
      String name, int count, Suspicion suspicion, Duration delay) {
    List<Enqueued<String>> jobs = enqueue(name, count);
    List<ClaimedJob> held = dieWithClaimedJobs(count, 0);
    assertThat(held).hasSize(count);
    UUID dead = store().nodes().holderOf(jobs.get(0).id()).orElseThrow();
    assertThat(store().nodes().markDead(dead, 0, SILENCE)).isTrue();
    List<RecoveryAction> actions = new ArrayList<>();
    for (ClaimedJob job : held) {
      actions.add(
          new RecoveryAction.AfterCrash(
              job.claim(),
              delay,
              suspicion,
              new Finish.Failure(1, FailureCode.WORKER_CRASHED, null, "It died.", null, "n")));
    }
    assertThat(store().recovery().recover(Holder.dead(dead), actions)).containsOnly(Result.DONE);
    return jobs;
  }

  private void awaitRunning(int count) {
    await().atMost(SOON).until(() -> running.size() == count);
  }

  private void awaitAll(List<Enqueued<String>> jobs) throws Exception {
    for (Enqueued<String> job : jobs) {
      assertThat(client().await(job, SOON)).isEqualTo("done");
    }
  }

  @Test
  void afterTheirFirstCrashAllJobsOfADeadNodeRunAtOnce() throws Exception {
    List<Enqueued<String>> jobs = enqueue("crashed", 20);
    dieWithClaimedJobs(20, 0);
    start(quick().maxConcurrent(20).handle(ECHO, (note, context) -> hold(note)));

    awaitRunning(20);
    release.release(20);
    awaitAll(jobs);
  }

  @Test
  void crashSuspectsStartSlowly() throws Exception {
    List<Enqueued<String>> jobs = suspects("suspect", 7, Suspicion.SLOW);
    start(node().handle(ECHO, (note, context) -> hold(note)));
    Enqueued<String> plain = client().enqueue(ECHO, new Note("plain"));

    awaitRunning(2);
    assertThat(running).as("while a crash suspect runs").contains("plain");
    assertThat(running).filteredOn(name -> name.startsWith("suspect")).hasSize(1);
    release.release(2);
    assertThat(client().await(plain, SOON)).isEqualTo("done");
    awaitRunning(2);
    release.release(2);
    awaitRunning(4);
    release.release(4);
    awaitAll(jobs);
  }

  @Test
  void aCrashSuspectWithOneCrashLeftRunsWithoutOtherSuspects() throws Exception {
    List<Enqueued<String>> lone = suspects("lone", 2, Suspicion.ALONE);
    List<Enqueued<String>> others = suspects("other", 3, Suspicion.SLOW);
    Map<String, Set<String>> beside = new ConcurrentHashMap<>();
    start(
        node()
            .handle(
                ECHO,
                (note, context) -> {
                  running.add(note.text());
                  for (int look = 0; look < 20; look++) {
                    beside
                        .computeIfAbsent(note.text(), name -> ConcurrentHashMap.newKeySet())
                        .addAll(running);
                    Thread.sleep(5);
                  }
                  running.remove(note.text());
                  return "done";
                }));

    awaitAll(lone);
    awaitAll(others);
    assertThat(beside).hasSize(5);
    assertThat(beside)
        .allSatisfy((name, seen) -> {
          if (name.startsWith("lone")) {
            assertThat(seen).containsExactly(name);
          } else {
            assertThat(seen).noneMatch(other -> other.startsWith("lone"));
          }
        });
  }

  @Test
  void aCrashSuspectThatHangsBlocksOthersForNoLongerThanTheTimeout() throws Exception {
    List<Enqueued<String>> first = suspects("lone", 1, Suspicion.ALONE);
    List<Enqueued<String>> others = suspects("other", 2, Suspicion.SLOW);
    start(quick().handle(ECHO, (note, context) -> hold(note)));
    awaitRunning(1);
    assertThat(running).containsExactly("lone 0");

    awaitRunning(3);
    release.release(3);
    awaitAll(first);
    awaitAll(others);
  }

  @Test
  void prefetchedCrashSuspectsThatFindNoSlotMakeRoomForOthers() throws Exception {
    List<Enqueued<String>> waiting = suspects("waiting", 1, Suspicion.SLOW, Duration.ofSeconds(3));
    Enqueued<String> plain = client().enqueue(ECHO, new Note("plain"));
    start(quick().queue("default", 1, 2).handle(ECHO, (note, context) -> hold(note)));
    awaitRunning(1);

    // Claimed by the node that died, by this node, and by this node again after it was handed back.
    await().atMost(SOON).until(() -> job(waiting.get(0).id()).fencingToken() >= 3);
    assertThat(running).containsExactly("plain");
    release.release(2);
    assertThat(client().await(plain, SOON)).isEqualTo("done");
    awaitAll(waiting);
  }

  @Test
  void aJobWhoseNodeFencesItselfTooOftenIsDeadLettered() {
    AtomicInteger runs = new AtomicInteger();
    CompletableFuture<HoldfastNode> stalled = new CompletableFuture<>();
    HoldfastNode node =
        start(
            quick()
                .handle(
                    ECHO,
                    (note, context) -> {
                      runs.incrementAndGet();
                      client().nodes().fence(stalled.get().id());
                      new CountDownLatch(1).await();
                      return "never";
                    }));
    stalled.complete(node);
    JobId job =
        client()
            .enqueue(
                ECHO,
                new Note("stalls"),
                options -> options.onCrash(CrashPolicy.DEFAULT.withMaxFencings(3)))
            .id();

    awaitState(job, JobState.FAILED);
    assertThat(runs).hasValue(3);
    assertThat(job(job).failures())
        .extracting(FailedAttempt::code)
        .containsExactly(FailureCode.NODE_FENCED);
    assertThat(job(job).failures().get(0).message()).contains(node.id()).contains("3 allowed");
  }

  @Test
  void prefetchedJobsOfASilentNodeAreRecoveredAfterTheClaimedTimeoutAndTheNodeStaysAlive() {
    List<Enqueued<String>> jobs = enqueue("held", 2);
    NodeRegistration silent = silent(new Timeouts(SILENCE, Duration.ofHours(1)));
    start(quick().queue("elsewhere", 1).handle(ECHO, (note, context) -> "never"));

    awaitState(jobs.get(1).id(), JobState.READY);
    assertThat(job(jobs.get(0).id()).state()).isEqualTo(JobState.RUNNING);
    assertThat(store().nodes().beat(silent.incarnation(), 1)).as("it is alive").isPresent();
  }

  @Test
  void aNodeRegistersBothTimeouts() {
    Timeouts bothTimeouts = new Timeouts(Duration.ofSeconds(40), Duration.ofSeconds(70));
    HoldfastNode node =
        start(
            node()
                .liveness(settings ->
                    settings
                        .timeout(bothTimeouts.running())
                        .claimedTimeout(bothTimeouts.claimed())));

    assertThat(store().nodes().list())
        .filteredOn(status -> status.registration().incarnation().equals(node.incarnation()))
        .extracting(NodeSnapshot::registration)
        .extracting(NodeRegistration::timeouts)
        .containsExactly(bothTimeouts);
  }

  /** Registers a silent node with one running job and one prefetched job. */
  private NodeRegistration silent(Timeouts bothTimeouts) {
    NodeRegistration plain = registration("silent", bothTimeouts.running(), Advice.NONE);
    NodeRegistration registration =
        new NodeRegistration(
            plain.incarnation(),
            plain.id(),
            plain.name(),
            plain.host(),
            plain.pid(),
            plain.version(),
            bothTimeouts,
            plain.queues(),
            plain.tasks(),
            plain.capacity(),
            plain.stack(),
            plain.serves(),
            plain.roles(),
            plain.advice());
    store().nodes().register(registration);
    assertThat(
            store()
                .claims()
                .claim(
                    new ClaimRequest(
                        registration.incarnation(),
                        1,
                        "default",
                        List.of(ECHO.name()),
                        1,
                        1,
                        null,
                        ClaimRequest.Suspects.NONE,
                        Set.of())))
        .hasSize(2);
    return registration;
  }

  @Test
  void severalNodesRecoverInDifferentOrders() {
    for (int i = 0; i < 8; i++) {
      Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
      dieWithClaimedJobs(1, 0);
      UUID dead = store().nodes().holderOf(job.id()).orElseThrow();
      assertThat(store().nodes().markDead(dead, 0, SILENCE)).isTrue();
    }
    List<List<UUID>> orders = List.of(new CopyOnWriteArrayList<>(), new CopyOnWriteArrayList<>());
    for (List<UUID> order : orders) {
      start(node(skippingAllOrphans(order)).liveness(QUICK).queue("elsewhere", 1));
    }
    await().atMost(SOON).until(() -> orders.stream().allMatch(order -> order.size() >= 8));

    List<UUID> first = orders.get(0).stream().limit(8).toList();
    List<UUID> second = orders.get(1).stream().limit(8).toList();
    assertThat(first).containsExactlyInAnyOrderElementsOf(second).isNotEqualTo(second);
  }

  private Store skippingAllOrphans(List<UUID> order) {
    return Interposed.on(
        store(),
        call -> {
          if (call.is(StoreMethod.ORPHANS) && call.arguments().get(0) instanceof Holder holder) {
            order.add(holder.incarnation());
            return List.of();
          }
          return call.proceed();
        });
  }

  @Test
  void aJobWhoseNodeStopsWhileItsHandlerRunsIsRecoveredByExactlyOneNode() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch ignoring = new CountDownLatch(1);
    HoldfastNode leaving =
        start(
            quick()
                .handle(
                    ECHO,
                    (note, context) -> {
                      started.countDown();
                      while (ignoring.getCount() > 0) {
                        try {
                          ignoring.await();
                        } catch (InterruptedException ignored) {
                          // Ignores interruption.
                        }
                      }
                      return "too late";
                    }));
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
    assertThat(started.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
    AtomicInteger runs = new AtomicInteger();
    for (int i = 0; i < 3; i++) {
      start(
          quick()
              .handle(
                  ECHO,
                  (note, context) -> {
                    runs.incrementAndGet();
                    return "done";
                  }));
    }
    try {
      leaving.close();

      assertThat(client().await(job, SOON)).isEqualTo("done");
      assertThat(runs).hasValue(1);
      assertThat(meters.get("holdfast.jobs.recovered").counter().count()).isEqualTo(1);
      assertThat(job(job.id()).failures()).hasSize(1);
    } finally {
      ignoring.countDown();
    }
  }
}
