package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimRequest;
import dev.holdfast.engine.store.ClaimRequest.Suspects;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Claims.ReleasedClaim;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeStore.Advice;
import dev.holdfast.engine.store.NodeStore.HeartbeatReply;
import dev.holdfast.engine.store.NodeStore.NodeRegistration;
import dev.holdfast.engine.store.NodeStore.Timeouts;
import dev.holdfast.engine.store.Outcomes.Result;
import dev.holdfast.engine.store.Store;
import dev.holdfast.engine.store.TaskStore.Rule;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A node without an engine: an incarnation that claims and finishes jobs of one queue. */
public final class Worker {
  /** More crash suspects than any test has. */
  private static final Suspects PLENTY = new Suspects(1000, false);

  private final Store store;
  private final NodeRegistration registration;
  private final String queue;
  private final AtomicLong claimCalls = new AtomicLong();

  private Worker(Store store, NodeRegistration registration, String queue) {
    this.store = store;
    this.registration = registration;
    this.queue = queue;
  }

  /** Registers a node that serves a queue and knows these tasks. */
  public static Worker join(Store store, String name, String queue, String... tasks) {
    NodeRegistration registration = registration(name, Set.of(queue), Set.of(tasks));
    store.nodes().register(registration);
    return new Worker(store, registration, queue);
  }

  /** Registers a node that runs jobs of these stacks, from one queue and of one task. */
  public static Worker joinStacks(
      Store store, String name, Set<String> stacks, String queue, String task, Modes modes) {
    NodeRegistration registration = registration(name, Set.of(queue), Set.of(task), stacks);
    store.nodes().register(registration, modes, null);
    return new Worker(store, registration, queue);
  }

  /** Returns the registration of a new incarnation. */
  public static NodeRegistration registration(String name, Set<String> queues, Set<String> tasks) {
    return registration(name, queues, tasks, Set.of());
  }

  /** Returns the registration of a node that reads graphs up to this format. */
  public static NodeRegistration registration(
      String name, Set<String> queues, Set<String> tasks, int graphFormat) {
    NodeRegistration plain = registration(name, queues, tasks);
    return new NodeRegistration(
        plain.incarnation(),
        plain.id(),
        plain.name(),
        plain.host(),
        plain.pid(),
        plain.version(),
        plain.timeouts(),
        plain.queues(),
        plain.tasks(),
        plain.capacity(),
        plain.stack(),
        plain.serves(),
        plain.roles(),
        plain.advice(),
        graphFormat);
  }

  private static NodeRegistration registration(
      String name, Set<String> queues, Set<String> tasks, Set<String> stacks) {
    return new NodeRegistration(
        UuidCreator.getTimeOrderedEpoch(),
        name,
        null,
        "host-of-" + name,
        4711,
        "0.1.0",
        Timeouts.of(Duration.ofSeconds(60)),
        queues,
        tasks,
        10,
        null,
        stacks,
        Set.of("worker"),
        Advice.NONE);
  }

  /** Returns the same incarnation with another store, such as one that was restored. */
  public Worker on(Store other) {
    Worker same = new Worker(other, registration, queue);
    same.claimCalls.set(claimCalls.get());
    return same;
  }

  public NodeRegistration registration() {
    return registration;
  }

  public UUID incarnation() {
    return registration.incarnation();
  }

  /** Claims up to this number of jobs and starts them. */
  public List<ClaimedJob> claim(int most) {
    return claim(most, 0, null);
  }

  /** Claims up to this number of jobs without starting them. */
  public List<ClaimedJob> prefetch(int most) {
    return claim(0, most, null);
  }

  /** Claims under the limit that this node assumes for its queue. */
  public List<ClaimedJob> claim(int start, int prefetch, @Nullable Integer limit) {
    return claimFrom(queue, start, prefetch, limit);
  }

  /** Claims from any queue. */
  public List<ClaimedJob> claimFrom(String from, int start, int prefetch, @Nullable Integer limit) {
    return claimFrom(from, start, prefetch, limit, PLENTY);
  }

  /** Claims a crash suspect that must be the only one. */
  public List<ClaimedJob> claimAloneSuspect() {
    return claim(1, new Suspects(1, true));
  }

  /** Claims a crash suspect that must be the only one, under a limit. */
  public List<ClaimedJob> claimAloneSuspect(int limit) {
    return claimFrom(queue, 1, 0, limit, new Suspects(1, true));
  }

  /** Claims jobs and these crash suspects. */
  public List<ClaimedJob> claim(int start, Suspects suspects) {
    return claimFrom(queue, start, 0, null, suspects);
  }

  private List<ClaimedJob> claimFrom(
      String from, int start, int prefetch, @Nullable Integer limit, Suspects suspects) {
    return store
        .claims()
        .claim(
            new ClaimRequest(
                incarnation(),
                claimCalls.incrementAndGet(),
                from,
                List.copyOf(registration.tasks()),
                start,
                prefetch,
                limit,
                suspects,
                registration.serves()));
  }

  /** Claims and starts jobs, except these. */
  public List<ClaimedJob> claimWithout(Set<JobId> without, int most) {
    return store
        .claims()
        .claim(
            new ClaimRequest(
                incarnation(),
                claimCalls.incrementAndGet(),
                queue,
                List.copyOf(registration.tasks()),
                most,
                0,
                null,
                PLENTY,
                registration.serves(),
                null,
                without));
  }

  /** Claims jobs of one task under the rule that this node assumes for it. */
  public List<ClaimedJob> claimAlone(String task, int start, int prefetch, Rule rule) {
    return claimAlone(task, start, prefetch, null, rule);
  }

  /** Claims jobs of one task under the rules that this node assumes for the queue and the task. */
  public List<ClaimedJob> claimAlone(
      String task, int start, int prefetch, @Nullable Integer limit, Rule rule) {
    return store
        .claims()
        .claim(
            new ClaimRequest(
                incarnation(),
                claimCalls.incrementAndGet(),
                queue,
                List.of(task),
                start,
                prefetch,
                limit,
                PLENTY,
                registration.serves(),
                rule,
                Set.of()));
  }

  /** Returns the number of the latest claim call. */
  public long lastClaimNo() {
    return claimCalls.get();
  }

  /** Claims and starts the next job, which must exist. */
  public ClaimedJob claimOne() {
    return only(claim(1));
  }

  /** Claims the next job, which must exist, without starting it. */
  public ClaimedJob prefetchOne() {
    return only(prefetch(1));
  }

  private static ClaimedJob only(List<ClaimedJob> claimed) {
    assertThat(claimed).as("the one job that could be claimed").hasSize(1);
    return claimed.get(0);
  }

  public Set<ClaimId> start(ClaimId... claims) {
    return store.claims().start(incarnation(), List.of(claims));
  }

  /** Hands back jobs. The handlers of those that are RUNNING have run. */
  public Set<ClaimId> giveBack(ClaimId... claims) {
    return giveBack(true, claims);
  }

  /** Hands back jobs whose handlers never ran. */
  public Set<ClaimId> giveBackUnstarted(ClaimId... claims) {
    return giveBack(false, claims);
  }

  private Set<ClaimId> giveBack(boolean ran, ClaimId... claims) {
    return store
        .claims()
        .giveBack(
            incarnation(), Stream.of(claims).map(held -> new ReleasedClaim(held, ran)).toList());
  }

  public Result finish(Finish finish) {
    List<Result> results = finishAll(List.of(finish));
    assertThat(results).hasSize(1);
    return results.get(0);
  }

  public List<Result> finishAll(List<? extends Finish> finishes) {
    return store.outcomes().finish(incarnation(), finishes);
  }

  public Result succeed(ClaimedJob job) {
    return finish(new Finish.Succeeded(job.claim(), "\"done\"", null));
  }

  /** Finishes a job with a permanent failure. */
  public Result failPermanently(ClaimedJob job) {
    return finish(new Finish.Dead(job.claim(), failure(job, "it broke permanently")));
  }

  /** Finishes an attempt with a failure that is retried. */
  public Result retryIn(ClaimedJob job, Duration delay) {
    return finish(new Finish.RetryIn(job.claim(), delay, failure(job, "it broke")));
  }

  /** Postpones a job without using an attempt. */
  public Result later(ClaimedJob job, Duration delay) {
    return finish(new Finish.Later(job.claim(), delay));
  }

  /** Returns a failure of an attempt on this node. */
  public Finish.Failure failure(ClaimedJob job, String message) {
    return new Finish.Failure(
        job.attempt(),
        "SMTP_DOWN",
        "java.io.IOException",
        message,
        "at Mailer.send(Mailer.java:17)",
        registration.id());
  }

  /** Sends a heartbeat and expects that the incarnation is alive. */
  public HeartbeatReply beat() {
    return store.nodes().beat(incarnation(), 0).orElseThrow();
  }

  /** Sends a heartbeat that asks only for claims from this call number on. */
  public HeartbeatReply beat(long fromCall) {
    return store.nodes().beat(incarnation(), 0, fromCall).orElseThrow();
  }

  public void leave() {
    store.nodes().leave(incarnation());
  }
}
