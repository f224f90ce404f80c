package dev.holdfast.engine.workflow;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.internal.Times;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.meter.RoleSpans;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.store.RunAdvance;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves runs forward: starts the steps whose dependencies have ended, and ends runs.
 *
 * <p>It advances the runs whose steps this node has ended as soon as it is notified of them. Runs
 * whose marks were written elsewhere, by a client, a sweeper or a node that died, are found by a
 * signal or by polling. Any number of nodes may do this at once.
 */
public final class Advancer implements Role {
  private static final Logger log = LoggerFactory.getLogger(Advancer.class);
  private static final int BATCH = 100;
  private static final int MOST_FOUND = 1_000;
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);
  private static final Duration BEHIND_A_LOCK = Duration.ofMillis(20);

  /** How often marked runs are looked for while runs are open. */
  static final Duration BETWEEN_LOOKS = Duration.ofSeconds(30);

  /** How soon a run is found whose wakeup was lost, if no run was open before. */
  private static final Duration WITHOUT_RUNS = Duration.ofMinutes(2);

  private static final int MIDDLE_PRIORITY = 4;

  private final RunAdvance runs;
  private final Supplier<PlanRecorder> recorders;
  private final SignalBus bus;
  private final Consumer<RunId> ended;
  private final Ticker ticker;
  private final RoleSpans spans;
  private final Waker waker;
  private final Set<RunId> expected = new LinkedHashSet<>();
  private final Set<RunId> locked = new LinkedHashSet<>();
  private Moment nextLook;

  /** When to look again if the look under way fails. An earlier {@link #nextLook} is a request. */
  private Moment ifLookFails;

  /**
   * @param recorders gives each advance a planner
   * @param ended receives the runs that end
   */
  public Advancer(
      RunAdvance runs,
      Supplier<PlanRecorder> recorders,
      SignalBus bus,
      Consumer<RunId> ended,
      Ticker ticker,
      RoleSpans spans,
      Waker waker) {
    this.runs = runs;
    this.recorders = recorders;
    this.bus = bus;
    this.ended = ended;
    this.ticker = ticker;
    this.spans = spans;
    this.waker = waker;
    this.nextLook = ticker.now();
    this.ifLookFails = nextLook;
  }

  @Override
  public String name() {
    return "advancer";
  }

  /** Advances a run soon: one of its steps has ended here, or it was started or signalled here. */
  public void expect(RunId run) {
    boolean first;
    synchronized (this) {
      first = expected.isEmpty();
      expected.add(run);
    }
    if (first) {
      waker.wake();
    }
  }

  /** Looks for marked runs and due timers when this delay is over, at the latest. */
  public void expectIn(Duration delay) {
    Moment due = ticker.now().plus(delay);
    boolean sooner;
    synchronized (this) {
      sooner = due.isBefore(nextLook);
      nextLook = nextLook.earlier(due);
    }
    if (sooner) {
      waker.wake();
    }
  }

  @Override
  public Moment tick(Moment now) {
    try {
      List<RunId> batch = take();
      if (!batch.isEmpty()) {
        advance(batch);
      } else if (takeLook(now)) {
        look();
      }
    } catch (StoreException failure) {
      log.warn(
          "Runs could not be advanced, retrying in {}: {}",
          Times.describe(AFTER_FAILURE),
          failure.getMessage());
      expectIn(AFTER_FAILURE);
      return ticker.now().plus(AFTER_FAILURE);
    }
    synchronized (this) {
      return expected.isEmpty() ? nextLook : ticker.now();
    }
  }

  /** Takes the runs to advance next. If the call fails, their marks are found by the next look. */
  private synchronized List<RunId> take() {
    List<RunId> batch = new ArrayList<>(Math.min(BATCH, expected.size()));
    Iterator<RunId> each = expected.iterator();
    while (each.hasNext() && batch.size() < BATCH) {
      batch.add(each.next());
      each.remove();
    }
    return batch;
  }

  /** Returns whether it is time to look, and if so, plans the next look in case this one fails. */
  private synchronized boolean takeLook(Moment now) {
    if (now.isBefore(nextLook)) {
      return false;
    }
    ifLookFails = now.plus(AFTER_FAILURE);
    nextLook = ifLookFails;
    return true;
  }

  private void look() {
    Moment asked = ticker.now();
    RunAdvance.Timers timers = runs.fireTimers(MOST_FOUND);
    List<RunId> marked = timers.open() ? runs.marked(MOST_FOUND) : List.of();
    boolean full = timers.more() || marked.size() >= MOST_FOUND;
    Duration longest = bus.sleepAtMost(timers.open() ? BETWEEN_LOOKS : WITHOUT_RUNS);
    Duration next = timers.next().filter(wait -> wait.compareTo(longest) < 0).orElse(longest);
    synchronized (this) {
      expected.addAll(timers.fired());
      expected.addAll(marked);
      expected.addAll(locked);
      locked.clear();
      // A request that arrived during the look stays.
      Moment due = full ? asked : ticker.now().plus(next);
      nextLook = nextLook.isBefore(ifLookFails) ? nextLook.earlier(due) : due;
    }
  }

  /**
   * Advances runs. If one of them cannot be planned, the transaction is rolled back for all, so
   * each is advanced alone: a run with a graph that this node cannot read must not hold up the
   * others.
   */
  private void advance(List<RunId> batch) {
    try {
      advanceAll(batch);
    } catch (StoreException away) {
      throw away;
    } catch (RuntimeException failure) {
      if (batch.size() == 1) {
        log.error(
            "Run {} could not be advanced; it is tried again within two minutes, also by other"
                + " nodes",
            batch.get(0),
            failure);
      } else {
        batch.forEach(run -> advance(List.of(run)));
      }
    }
  }

  private void advanceAll(List<RunId> batch) {
    Moment asked = ticker.now();
    PlanRecorder recorder = recorders.get();
    RunAdvance.Report report = runs.advance(batch, recorder);
    recorder.learn(report.seqs());
    synchronized (this) {
      expected.addAll(report.next());
      locked.addAll(report.locked());
    }
    if (!report.locked().isEmpty()) {
      expectIn(BEHIND_A_LOCK);
    }
    announce(report, bus);
    report.ended().keySet().forEach(ended);
    batch.forEach(bus::changed);
    if (report.advanced() > 0) {
      spans.worked(
          "holdfast.advance",
          asked.until(ticker.now()),
          span -> span.setAttribute("holdfast.runs", report.advanced()));
    }
  }

  /** Tells nodes of jobs that are READY, of timers, and of jobs that they should stop. */
  static void announce(RunAdvance.Report report, SignalBus bus) {
    report
        .ready()
        .forEach((queue, count) -> bus.publish(new Signal.NewWork(queue, MIDDLE_PRIORITY, count)));
    report.nextTimer().ifPresent(wait -> bus.publish(new Signal.RunsMarked(wait)));
    report.stopping().forEach(holder -> bus.publish(new Signal.HeartbeatRequested(holder)));
  }
}
