package dev.holdfast.engine.rule;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.internal.Times;
import dev.holdfast.api.policy.CircuitBreaker;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.engine.event.Telemetry;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.TaskStore;
import dev.holdfast.engine.store.TaskStore.Attempts;
import dev.holdfast.engine.store.TaskStore.Noted;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports how attempts of tasks with a breaker ended, once that is stored: failures always,
 * successes while the breaker is not closed. The attempts that end while one report is being
 * written form the next.
 */
public final class BreakerReporter implements Role {
  private static final Logger log = LoggerFactory.getLogger(BreakerReporter.class);
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

  /** Attempts of one task that are not reported yet. */
  private record Unreported(ArrayDeque<ClaimId> failed, ArrayDeque<ClaimId> succeeded) {
    Unreported() {
      this(new ArrayDeque<>(), new ArrayDeque<>());
    }
  }

  private final TaskStore tasks;
  private final TaskRules rules;
  private final Map<String, CircuitBreaker> breakers;
  private final SignalBus bus;
  private final Telemetry telemetry;
  private final Waker waker;
  private final Map<String, Unreported> unreported = new LinkedHashMap<>();

  /**
   * @param breakers the breakers of the tasks of this node
   */
  public BreakerReporter(
      TaskStore tasks,
      TaskRules rules,
      Map<String, CircuitBreaker> breakers,
      SignalBus bus,
      Telemetry telemetry,
      Waker waker) {
    this.tasks = tasks;
    this.rules = rules;
    this.breakers = Map.copyOf(breakers);
    this.bus = bus;
    this.telemetry = telemetry;
    this.waker = waker;
  }

  @Override
  public String name() {
    return "breakers";
  }

  /** Called when an attempt has ended and its outcome is stored. */
  public void ended(ClaimedJob job, Finish finish) {
    CircuitBreaker breaker = breakers.get(job.task());
    if (breaker == null) {
      return;
    }
    switch (finish) {
      case Finish.RetryIn retry -> noteFailure(job, breaker, retry.failure());
      case Finish.Dead dead -> noteFailure(job, breaker, dead.failure());
      case Finish.Succeeded done -> {
        if (rules.isBroken(job.task())) {
          note(job, breaker, false);
        }
      }
      case Finish.Later later -> {}
      case Finish.Parked parked -> {}
      case Finish.Cancelled cancelled -> {}
    }
  }

  /** Payloads that a node of an old version cannot read do not show that the task is broken. */
  private void noteFailure(ClaimedJob job, CircuitBreaker breaker, Finish.Failure failure) {
    if (!failure.code().equals(FailureCode.BAD_PAYLOAD)) {
      note(job, breaker, true);
    }
  }

  private void note(ClaimedJob job, CircuitBreaker breaker, boolean failed) {
    synchronized (unreported) {
      Unreported own = unreported.computeIfAbsent(job.task(), task -> new Unreported());
      ArrayDeque<ClaimId> list = failed ? own.failed : own.succeeded;
      list.add(job.claim());
      if (list.size() > breaker.failures()) {
        // While the store is unavailable: no more attempts are needed than open the breaker.
        list.remove();
      }
    }
    waker.wake();
  }

  @Override
  public Moment tick(Moment now) {
    for (Attempts attempts : take()) {
      try {
        apply(attempts, tasks.report(attempts), now);
      } catch (StoreException failure) {
        keep(attempts, failure);
      }
    }
    synchronized (unreported) {
      return unreported.isEmpty() ? Moment.NEVER : now.plus(AFTER_FAILURE);
    }
  }

  private void keep(Attempts attempts, StoreException failure) {
    String task = attempts.task();
    switch (failure.outcome()) {
      case RETRYABLE -> {
        log.warn(
            "Could not report attempts of task {} to its breaker, retrying in {}: {}",
            task,
            Times.describe(AFTER_FAILURE),
            failure.getMessage());
        putBack(attempts);
      }
      case UNKNOWN -> {
        log.warn(
            "It is not known whether the breaker of task {} counted {} failures; they are not"
                + " reported again, since they could count twice: {}",
            task,
            attempts.failed().size(),
            failure.getMessage());
        // Successes close the breaker once, no matter how often they are reported; and the reply
        // says whether the failures opened it.
        putBack(new Attempts(task, attempts.breaker(), List.of(), attempts.succeeded()));
      }
      case REFUSED ->
          log.warn(
              "The store rejected a report of attempts of task {}; its breaker does not count them:"
                  + " {}",
              task,
              failure.getMessage());
    }
  }

  private List<Attempts> take() {
    synchronized (unreported) {
      List<Attempts> all =
          unreported.entrySet().stream()
              .map(entry ->
                  new Attempts(
                      entry.getKey(),
                      breaker(entry.getKey()),
                      List.copyOf(entry.getValue().failed),
                      List.copyOf(entry.getValue().succeeded)))
              .toList();
      unreported.clear();
      return all;
    }
  }

  private CircuitBreaker breaker(String task) {
    CircuitBreaker breaker = breakers.get(task);
    if (breaker == null) {
      throw new IllegalStateException("Task " + task + " has no circuit breaker");
    }
    return breaker;
  }

  private void putBack(Attempts attempts) {
    synchronized (unreported) {
      Unreported own = unreported.computeIfAbsent(attempts.task(), task -> new Unreported());
      putBack(attempts.failed(), own.failed, attempts.breaker().failures());
      putBack(attempts.succeeded(), own.succeeded, attempts.breaker().failures());
    }
  }

  private static void putBack(List<ClaimId> earlier, ArrayDeque<ClaimId> list, int most) {
    Iterator<ClaimId> latestFirst = earlier.reversed().iterator();
    while (latestFirst.hasNext() && list.size() < most) {
      list.addFirst(latestFirst.next());
    }
  }

  private void apply(Attempts attempts, Noted noted, Moment now) {
    String task = attempts.task();
    rules.set(task, noted.rule(), now);
    switch (noted.turn()) {
      case NONE -> {}
      case OPENED -> {
        Duration shut = noted.rule().shut();
        Duration pause = shut == null ? attempts.breaker().pause() : shut;
        log.warn(
            "Task {} fails too often: its breaker is open, and no node starts any of its jobs for"
                + " {} ms",
            task,
            pause.toMillis());
        telemetry.meters().breakerOpened(task);
        telemetry.events().breakerOpened(task, pause);
        bus.publish(new Signal.TaskChanged(task));
      }
      case CLOSED -> {
        log.info("Task {} works again: its breaker is closed", task);
        telemetry.meters().breakerClosed(task);
        telemetry.events().breakerClosed(task);
        bus.publish(new Signal.TaskChanged(task));
      }
    }
  }
}
