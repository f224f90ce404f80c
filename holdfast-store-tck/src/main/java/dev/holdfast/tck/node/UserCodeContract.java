package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.JobRequest;
import dev.holdfast.api.Page;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.RequeueResult;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.held.TaskExecutor;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.LivenessSettings;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.engine.store.ClaimRequest;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Store;
import dev.holdfast.tck.fault.FaultyStore;
import dev.holdfast.tck.fault.StoreMethod;
import dev.holdfast.tck.simulation.Interposed;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.cumulative.CumulativeCounter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.core.instrument.distribution.pause.PauseDetector;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** When user code throws or memory runs out, no job is lost, runs twice or stays claimed. */
public abstract class UserCodeContract extends NodeTestBase {
  private static final String OWN = "own";

  private final Map<JobId, AtomicInteger> runs = new ConcurrentHashMap<>();
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();

  /** Counts how often each job runs and how many run at once. */
  private String count(JobId id) throws InterruptedException {
    most.accumulateAndGet(running.incrementAndGet(), Math::max);
    try {
      runs.computeIfAbsent(id, fresh -> new AtomicInteger()).incrementAndGet();
      TimeUnit.MILLISECONDS.sleep(5); // Long enough that jobs overlap if they can.
      return "ran";
    } finally {
      running.decrementAndGet();
    }
  }

  private void enqueue(int count) {
    List<JobRequest<Note, ?>> requests = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      requests.add(JobRequest.of(ECHO, new Note("n" + i)));
    }
    client().enqueueAll(requests);
  }

  private void assertAllRanOnce(int count, int atOnce) {
    await()
        .atMost(SOON)
        .until(() ->
            client()
                .count(JobFilter.all())
                .byState()
                .equals(Map.of(JobState.SUCCEEDED, (long) count)));
    assertThat(runs).hasSize(count);
    assertThat(runs.values()).allSatisfy(ran -> assertThat(ran).hasValue(1));
    assertThat(most.get()).isLessThanOrEqualTo(atOnce);
    assertThat(client().list(JobFilter.all(), Page.first(1000)))
        .extracting(Job::attempt)
        .containsOnly(1);
  }

  /** Returns a registry whose counters throw and which rejects timers. */
  private static final class BrokenRegistry extends SimpleMeterRegistry {
    BrokenRegistry() {
      super(SimpleConfig.DEFAULT, new MockClock());
    }

    @Override
    protected Counter newCounter(Meter.Id id) {
      return new CumulativeCounter(id) {
        @Override
        public void increment(double amount) {
          throw new OutOfMemoryError("No memory to count " + id.getName());
        }
      };
    }

    @Override
    protected Timer newTimer(
        Meter.Id id, DistributionStatisticConfig config, PauseDetector pauseDetector) {
      throw new IllegalArgumentException("No timer " + id.getName());
    }
  }

  @Test
  void aRegistryThatThrowsAffectsNoJob() {
    enqueue(40);

    HoldfastNode node =
        start(
            node()
                .meters(new BrokenRegistry())
                .queue("default", 2, 3)
                .handle(ECHO, (note, context) -> count(context.jobId())));

    assertAllRanOnce(40, 2);
    await().atMost(SOON).until(() -> node.held() == 0);
  }

  @Test
  void aTracerThatThrowsAffectsNoJob() {
    enqueue(5);

    HoldfastNode node =
        start(
            node()
                .telemetry(throwing(OpenTelemetry.class, "getTracer"))
                .handle(ECHO, (note, context) -> count(context.jobId())));
    node.client().enqueue(ECHO, new Note("in a call that cannot be traced"));

    assertAllRanOnce(6, 6);
  }

  /** Returns a proxy that returns itself from this method and throws from all others. */
  private static <T> T throwing(Class<T> type, String works) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (method.getName().equals(works)) {
                return throwing(method.getReturnType(), "nothing");
              }
              throw new IllegalStateException("No " + method.getName());
            }));
  }

  /** Returns an executor that passes each job to this consumer. */
  private interface Submission {
    void submit(Runnable job, ExecutorService threads);
  }

  private NodeBuilder onExecutor(NodeBuilder builder, int capacity, Submission submission) {
    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    return builder
        .executor(
            new TaskExecutor() {
              @Override
              public String name() {
                return OWN;
              }

              @Override
              public int capacity() {
                return capacity;
              }

              @Override
              public void execute(Runnable job) {
                submission.submit(job, threads);
              }

              @Override
              public void close() {
                threads.shutdownNow();
              }
            })
        .routeOthers(OWN);
  }

  @Test
  void anExecutorThatThrowsAlthoughItRunsTheJobRunsItOnceInItsSlot() {
    NodeBuilder builder =
        onExecutor(
            node().queue("default", 1),
            1,
            (job, threads) -> {
              int before = runs.size();
              threads.execute(job);
              await().pollInterval(Duration.ofMillis(1)).until(() -> runs.size() > before);
              throw new RejectedExecutionException("It runs all the same");
            });
    enqueue(10);

    start(builder.handle(ECHO, (note, context) -> count(context.jobId())));

    await()
        .atMost(SOON)
        .until(() ->
            client().count(JobFilter.all()).byState().equals(Map.of(JobState.SUCCEEDED, 10L)));
    assertThat(runs.values()).allSatisfy(ran -> assertThat(ran).hasValue(1));
    assertThat(most).as("slots are not released twice").hasValue(1);
  }

  @Test
  void aJobThatTheExecutorRejectsExpiresIfItDoesNotStartInTime() {
    NodeBuilder builder =
        onExecutor(
            node(),
            10,
            (job, threads) -> {
              throw new OutOfMemoryError("unable to create native thread");
            });
    Enqueued<String> job =
        client().enqueue(ECHO, new Note("x"), o -> o.startWithin(Duration.ofSeconds(1)));

    start(builder.handle(ECHO, (note, context) -> count(context.jobId())));

    awaitState(job.id(), JobState.EXPIRED);
    assertThat(runs).isEmpty();
  }

  @Test
  void aJobGivenBackBeforeItsHandlerRanKeepsItsStartByTime() throws Exception {
    BlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();
    HoldfastNode node =
        start(
            onExecutor(node().queue("default", 1), 1, (job, threads) -> waiting.add(job))
                .handle(ECHO, (note, context) -> count(context.jobId())));
    Enqueued<String> job =
        client().enqueue(ECHO, new Note("x"), o -> o.startWithin(Duration.ofHours(1)));
    Runnable attempt = waiting.take();

    assertThat(client().requeue(job.id())).isEqualTo(RequeueResult.REQUESTED);
    long beat = heartbeatsOf(node);
    await()
        .atMost(SOON)
        .until(() -> heartbeatsOf(node) >= beat + 2); // The node has received the reply.
    attempt.run();
    Runnable again = waiting.take();

    assertThat(runs).isEmpty();
    assertThat(job(job.id()).startBy()).isNotNull();
    again.run();
    awaitState(job.id(), JobState.SUCCEEDED);
  }

  @Test
  void aJobWhoseClaimGotNoReplyKeepsItsStartByTime() throws Exception {
    FaultyStore store = new FaultyStore(store()).loseReply(StoreMethod.CLAIM);
    Enqueued<String> job =
        client().enqueue(ECHO, new Note("x"), o -> o.startWithin(Duration.ofHours(1)));

    start(
        node(store)
            .handle(
                ECHO,
                (note, context) ->
                    "token %d, must start in time: %s"
                        .formatted(
                            context.fencingToken(), job(context.jobId()).startBy() != null)));

    assertThat(client().await(job, SOON)).isEqualTo("token 2, must start in time: true");
  }

  /**
   * Returns a store whose next claim of several jobs returns a list that fails while it is read.
   */
  private Store runningOutOfMemory() {
    AtomicBoolean happened = new AtomicBoolean();
    return Interposed.on(
        store(),
        call -> {
          Object reply = call.proceed();
          if (call.is(StoreMethod.CLAIM)
              && reply instanceof List<?> jobs
              && jobs.size() > 2
              && happened.compareAndSet(false, true)) {
            return new AbstractList<Object>() {
              @Override
              public Object get(int index) {
                if (index == 1) {
                  throw new OutOfMemoryError("in the middle of a claim");
                }
                return jobs.get(index);
              }

              @Override
              public int size() {
                return jobs.size();
              }
            };
          }
          return reply;
        });
  }

  @Test
  void jobsOfAClaimResultThatCannotBeReadRunOnce() {
    enqueue(20);

    start(
        node(runningOutOfMemory())
            .queue("default", 4)
            .handle(ECHO, (note, context) -> count(context.jobId())));

    assertAllRanOnce(20, 4);
  }

  @Test
  void aClaimedJobThatTheNodeDoesNotKnowIsGivenBackRegardlessOfItsClaimCall() {
    TaskType<Note, String> strange = TaskType.of("test::strange", Note.class, String.class);
    HoldfastNode node =
        start(
            node()
                .liveness(
                    LivenessSettings.DEFAULT.with(settings ->
                        settings
                            .heartbeat(Duration.ofMillis(100))
                            .timeout(SILENCE)
                            .sweep(Duration.ofMillis(100))))
                .handle(ECHO, (note, context) -> count(context.jobId())));
    enqueue(1);
    assertAllRanOnce(1, 1);
    Enqueued<String> job = client().enqueue(strange, new Note("x"));
    // Claims for the node under a call number below those that its heartbeats ask about.
    assertThat(
            store()
                .claims()
                .claim(
                    new ClaimRequest(
                        node.incarnation(),
                        0,
                        "default",
                        List.of(strange.name()),
                        1,
                        0,
                        null,
                        ClaimRequest.Suspects.NONE,
                        Set.of())))
        .extracting(ClaimedJob::id)
        .containsExactly(job.id());

    Job back = awaitState(job.id(), JobState.READY);

    assertThat(back.attempt()).isZero();
    assertThat(node.isReady()).isTrue();
  }
}
