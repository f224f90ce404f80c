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

/** A node as the store sees it: an incarnation that claims jobs of one queue and finishes them. */
public final class Worker {
  /** More crash suspects than any test has. */
  private static final Suspects PLENTY = new Suspects(1000, false);

  private final Store store;
  private final NodeRegistration card;
  private final String queue;
  private final AtomicLong claimCalls = new AtomicLong();

  private Worker(Store store, NodeRegistration card, String queue) {
    this.store = store;
    this.card = card;
    this.queue = queue;
  }

  /** Register a node that serves a queue and knows these tasks. */
  public static Worker join(Store store, String name, String queue, String... tasks) {
    NodeRegistration card = card(name, Set.of(queue), Set.of(tasks));
    store.nodes().register(card);
    return new Worker(store, card, queue);
  }

  /** Register a node that runs jobs of these fleets, from one queue and of one task. */
  public static Worker joinFleets(
      Store store, String name, Set<String> stacks, String queue, String task, Modes modes) {
    NodeRegistration card = card(name, Set.of(queue), Set.of(task), stacks);
    store.nodes().register(card, modes, null);
    return new Worker(store, card, queue);
  }

  /** The card of a new incarnation. */
  public static NodeRegistration card(String name, Set<String> queues, Set<String> tasks) {
    return card(name, queues, tasks, Set.of());
  }

  private static NodeRegistration card(
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

  public NodeRegistration card() {
    return card;
  }

  public UUID incarnation() {
    return card.incarnation();
  }

  /** Claim so many jobs and start them at once. */
  public List<ClaimedJob> claim(int most) {
    return claim(most, 0, null);
  }

  /** Claim so many jobs without starting them. */
  public List<ClaimedJob> prefetch(int most) {
    return claim(0, most, null);
  }

  /** Claim under the limit that this node believes its queue has. */
  public List<ClaimedJob> claim(int start, int prefetch, @Nullable Integer limit) {
    return claimFrom(queue, start, prefetch, limit);
  }

  /** Claim from any queue. */
  public List<ClaimedJob> claimFrom(String from, int start, int prefetch, @Nullable Integer limit) {
    return claimFrom(from, start, prefetch, limit, PLENTY);
  }

  /** Claim a crash suspect that must be the only one. */
  public List<ClaimedJob> claimLone() {
    return claim(1, new Suspects(1, true));
  }

  /** Claim a crash suspect that must be the only one, under a limit. */
  public List<ClaimedJob> claimLone(int limit) {
    return claimFrom(queue, 1, 0, limit, new Suspects(1, true));
  }

  /** Claim jobs and these crash suspects. */
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
                List.copyOf(card.tasks()),
                start,
                prefetch,
                limit,
                suspects,
                card.serves()));
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
                List.copyOf(card.tasks()),
                most,
                0,
                null,
                PLENTY,
                card.serves(),
                null,
                without));
  }

  /** Claim jobs of one task under the rule that this node believes it has. */
  public List<ClaimedJob> claimAlone(String task, int start, int prefetch, Rule rule) {
    return claimAlone(task, start, prefetch, null, rule);
  }

  /** Claim jobs of one task under the rules that this node believes its queue and it have. */
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
                card.serves(),
                rule));
  }

  /** The number of the latest claim call. */
  public long lastClaimNo() {
    return claimCalls.get();
  }

  /** Claim and start the next job, which must exist. */
  public ClaimedJob claimOne() {
    return only(claim(1));
  }

  /** Claim the next job, which must exist, without starting it. */
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

  /** Give back jobs whose code has run, if they are RUNNING. */
  public Set<ClaimId> giveBack(ClaimId... claims) {
    return giveBack(true, claims);
  }

  /** Give back jobs whose code never ran. */
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
    List<Result> answers = finishAll(List.of(finish));
    assertThat(answers).hasSize(1);
    return answers.get(0);
  }

  public List<Result> finishAll(List<? extends Finish> finishes) {
    return store.outcomes().finish(incarnation(), finishes);
  }

  public Result succeed(ClaimedJob job) {
    return finish(new Finish.Succeeded(job.claim(), "\"done\"", null));
  }

  /** Fail for good. */
  public Result die(ClaimedJob job) {
    return finish(new Finish.Dead(job.claim(), failure(job, "it broke for good")));
  }

  /** Fail, to be tried again. */
  public Result retryIn(ClaimedJob job, Duration delay) {
    return finish(new Finish.RetryIn(job.claim(), delay, failure(job, "it broke")));
  }

  /** Put the job off at no cost. */
  public Result later(ClaimedJob job, Duration delay) {
    return finish(new Finish.Later(job.claim(), delay));
  }

  /** A failure of a job's attempt on this node. */
  public Finish.Failure failure(ClaimedJob job, String message) {
    return new Finish.Failure(
        job.attempt(),
        "SMTP_DOWN",
        "java.io.IOException",
        message,
        "at Mailer.send(Mailer.java:17)",
        card.id());
  }

  /** Beat, and expect to be known as alive. */
  public HeartbeatReply beat() {
    return store.nodes().beat(incarnation(), 0).orElseThrow();
  }

  /** Beat, and ask about no claims of earlier calls. */
  public HeartbeatReply beat(long fromCall) {
    return store.nodes().beat(incarnation(), 0, fromCall).orElseThrow();
  }

  public void leave() {
    store.nodes().leave(incarnation());
  }
}
