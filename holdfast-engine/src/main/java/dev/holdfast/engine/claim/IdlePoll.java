package dev.holdfast.engine.claim;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.internal.Times;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.store.Claims;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls on behalf of all claimers of a node that have found nothing for a long time, or have not
 * claimed yet. One statement returns which of their queues have ready jobs, and only their claimers
 * claim. So a node with thousands of queues polls as rarely as a node with one.
 */
public final class IdlePoll implements Role {
  private static final Logger log = LoggerFactory.getLogger(IdlePoll.class);
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

  /**
   * The most claimers that claim at the start without a poll, which would delay their first jobs.
   */
  private static final int FEW = 4;

  private final Claims claims;
  private final Set<String> stacks;
  private final Supplier<PollBackoff> pace;
  private final RandomGenerator random;
  private final Set<Claimer> idle = ConcurrentHashMap.newKeySet();
  private final Waker waker;
  private volatile boolean expected = true;
  private boolean polled;
  private Moment due = Moment.NEVER;
  private int looks;

  /**
   * @param stacks the stacks whose jobs the node runs
   * @param pace how often to poll at present
   */
  public IdlePoll(
      Claims claims,
      Set<String> stacks,
      Supplier<PollBackoff> pace,
      RandomGenerator random,
      Waker waker) {
    this.claims = claims;
    this.stacks = Set.copyOf(stacks);
    this.pace = pace;
    this.random = random;
    this.waker = waker;
  }

  @Override
  public String name() {
    return "idle-poll";
  }

  /** Polls on behalf of this claimer until it claims again. */
  void join(Claimer claimer) {
    boolean first = idle.isEmpty();
    idle.add(claimer);
    if (first) {
      waker.wake();
    }
  }

  /**
   * Returns when a claimer that has found nothing should claim again; never if this role polls on
   * its behalf from now on.
   *
   * @param looksInVain how often the claimer has found nothing
   */
  Moment nextPoll(Claimer claimer, int looksInVain, Moment now) {
    PollBackoff current = pace.get();
    if (current.isDeepIdle(looksInVain - 1)) {
      join(claimer);
      return Moment.NEVER;
    }
    return now.plus(current.after(Math.max(0, looksInVain - 1), random.nextDouble()));
  }

  void leave(Claimer claimer) {
    idle.remove(claimer);
  }

  /** Returns whether this role polls on behalf of the claimer. */
  public boolean covers(Claimer claimer) {
    return idle.contains(claimer);
  }

  /** Notes that there may be work in any queue: polls now, and more often for a while. */
  public void expectWork() {
    expected = true;
    waker.wake();
  }

  @Override
  public Moment tick(Moment now) {
    if (expected) {
      expected = false;
      looks = 0;
      due = now;
    } else if (due.equals(Moment.NEVER)) {
      due = next(now);
    }
    List<Claimer> waiting = List.copyOf(idle);
    if (waiting.isEmpty()) {
      due = Moment.NEVER;
      return due;
    }
    if (now.isBefore(due)) {
      return due;
    }
    try {
      withWork(waiting).forEach(Claimer::workFound);
      polled = true;
      due = next(now);
    } catch (StoreException failure) {
      due = now.plus(AFTER_FAILURE);
      log.warn(
          "Polling for jobs of {} idle claimers failed, retrying in {}: {}",
          waiting.size(),
          Times.describe(AFTER_FAILURE),
          failure.getMessage());
    }
    return due;
  }

  private List<Claimer> withWork(List<Claimer> waiting) {
    if (!polled && waiting.size() <= FEW) {
      return waiting;
    }
    Set<String> found = queuesWithReadyJobs(waiting);
    return waiting.stream().filter(one -> found.contains(one.lane().queue())).toList();
  }

  private Set<String> queuesWithReadyJobs(List<Claimer> waiting) {
    return claims.queuesWithReadyJobs(
        waiting.stream().map(claimer -> claimer.lane().queue()).collect(Collectors.toSet()),
        waiting.stream()
            .flatMap(claimer -> claimer.lane().tasks().stream())
            .collect(Collectors.toSet()),
        stacks);
  }

  private Moment next(Moment now) {
    return now.plus(pace.get().after(looks++, random.nextDouble()));
  }
}
