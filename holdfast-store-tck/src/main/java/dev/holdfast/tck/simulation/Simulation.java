package dev.holdfast.tck.simulation;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.LivenessSettings;
import dev.holdfast.engine.store.Store;
import dev.holdfast.testkit.memory.InMemoryStore;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * A simulated run of a small cluster, completely determined by its seed.
 *
 * <pre>{@code
 * Simulation.Report report = Simulation.run(42);
 * }</pre>
 */
public final class Simulation {
  private static final long SECOND = 1_000_000_000L;
  private static final long CALM_AT = 14 * SECOND;
  private static final long MOST = CALM_AT + 150 * SECOND;

  /** The nodes of a cluster may have different timeouts. */
  private static final List<LivenessSettings> LIVENESS =
      List.of(
          LivenessSettings.FAST_FAILOVER,
          LivenessSettings.FAST_FAILOVER.with(
              settings -> settings.claimedTimeout(Duration.ofSeconds(3))),
          LivenessSettings.FAST_FAILOVER.with(settings ->
              settings.timeout(Duration.ofSeconds(6)).claimedTimeout(Duration.ofSeconds(4))));

  private final long seed;
  private final PlantedBug bug;
  private final Timeline timeline = new Timeline();
  private final SplittableRandom random;
  private final FaultModel faultModel;
  private final Trace trace;
  private final Store real;
  private final Store database;
  private final InvariantChecker checker;
  private final LeaseChecker leases;
  private final Workload workload;
  private final RunChecker runs;
  private final StoreObserver observer;
  private final StepTransactions transactions;
  private final RunLoad load;
  private final StepHandlers handlers;
  private final Competitor competitor;
  private final boolean competes;
  private final Focus focus;
  private final List<Host> hosts = new ArrayList<>();

  /** The kind of faults in a simulation. */
  public enum Focus {
    /** All kinds of faults; in every fourth seed only one kind. */
    EVERYTHING,
    /**
     * Repeated partitions, so frequent that some node is cut off while it runs a task that needs
     * almost the whole margin to stop.
     */
    SILENCE,
    /** Repeated suspensions of machines. */
    SUSPENSION;

    private static final List<Focus> ANY =
        List.of(
            EVERYTHING,
            EVERYTHING,
            EVERYTHING,
            EVERYTHING,
            EVERYTHING,
            EVERYTHING,
            SILENCE,
            SUSPENSION);
  }

  /**
   * The result of a simulation.
   *
   * @param violation the first violated invariant, if any
   * @param digest equal for equal sequences of events
   * @param effects the number of effects
   * @param events the number of events
   * @param lasted the duration in virtual time
   * @param traceLines the trace as text, if it was requested
   */
  public record Report(
      long seed,
      Optional<Violation> violation,
      long digest,
      int effects,
      long events,
      Duration lasted,
      List<String> traceLines) {}

  private Simulation(long seed, PlantedBug bug, Focus focus, boolean told) {
    this.seed = seed;
    this.bug = bug;
    this.random = new SplittableRandom(seed);
    this.focus = focus == Focus.EVERYTHING ? Focus.ANY.get(random.nextInt(8)) : focus;
    boolean everything = this.focus == Focus.EVERYTHING;
    this.faultModel = new FaultModel(timeline, random.split(), CALM_AT, everything ? 0.03 : 0.2);
    this.trace = new Trace(timeline, told);
    this.real = new InMemoryStore(faultModel, this::betweenStatements);
    this.database = bug.database().apply(real);
    this.checker = new InvariantChecker(timeline, real.queries());
    this.leases = new LeaseChecker(checker, real.leases(), faultModel);
    this.workload = new Workload(timeline, real, checker, trace, random.split());
    this.runs = new RunChecker(checker, real.runs());
    this.observer = new StoreObserver(checker, leases, runs, this::sawSignOfLife);
    this.transactions = new StepTransactions(checker);
    this.load = new RunLoad(timeline, runs, trace, real.runs().definitions(), random.split());
    this.handlers = new StepHandlers(timeline, checker, workload, random.split());
    this.competitor = new Competitor(timeline, faultModel, real, checker, trace);
    this.competes = !everything || random.nextBoolean();
  }

  /** Simulates the cluster of this seed. */
  public static Report run(long seed) {
    return run(seed, PlantedBug.NONE);
  }

  /** Simulates the cluster of this seed with a planted bug. */
  public static Report run(long seed, PlantedBug bug) {
    return run(seed, bug, Focus.EVERYTHING);
  }

  /** Simulates the cluster of this seed with faults of one kind. */
  public static Report run(long seed, PlantedBug bug, Focus focus) {
    return onOneThread(new Simulation(seed, bug, focus, false));
  }

  /** Simulates the cluster of this seed and records the trace as text. */
  public static Report runWithTrace(long seed, PlantedBug bug) {
    return onOneThread(new Simulation(seed, bug, Focus.EVERYTHING, true));
  }

  /**
   * Runs the event loop on a virtual thread, because switching between virtual threads is fastest.
   */
  private static Report onOneThread(Simulation simulation) {
    Report[] report = new Report[1];
    Throwable[] failure = new Throwable[1];
    Thread loop =
        Thread.ofVirtual()
            .start(() -> {
              try {
                report[0] = simulation.live();
              } catch (RuntimeException | Error thrown) {
                failure[0] = thrown;
              }
            });
    try {
      loop.join();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted in the middle of a simulation", interrupted);
    }
    if (failure[0] != null) {
      throw new IllegalStateException(
          "The simulation of seed %d failed".formatted(simulation.seed), failure[0]);
    }
    return report[0];
  }

  private Report live() {
    int nodes = random.nextInt(2, 5);
    for (int i = 1; i <= nodes; i++) {
      hosts.add(boot("node-" + i, i - 1));
    }
    workload.plan(random.nextInt(4, 13), CALM_AT * 2 / 3);
    if (random.nextInt(4) > 0) {
      load.plan(random.nextInt(1, 4), CALM_AT * 2 / 3, CALM_AT);
    }
    for (int i = random.nextInt(3); i > 0; i--) {
      JobId waiting = workload.enqueueWaiting(handlers);
      load.signal(waiting, random.nextLong(CALM_AT));
    }
    new Faults(timeline, faultModel, real.nodes(), trace, random.split())
        .plan(CALM_AT, hosts, focus);
    long events = 0;
    boolean more = true;
    while (more && checker.violation().isEmpty() && timeline.now() < MOST && !isOver()) {
      more = timeline.step();
      leases.check();
      events++;
    }
    if (checker.violation().isEmpty()) {
      runs.expectAllEnded();
      checker.expectAllEnded();
    }
    for (Host host : hosts) {
      host.crash();
    }
    return new Report(
        seed,
        checker.violation(),
        trace.digest(),
        checker.effects(),
        events,
        Duration.ofNanos(timeline.now()),
        trace.lines());
  }

  private boolean isOver() {
    return workload.isAllEnqueued() && load.isDone() && checker.allEnded() && runs.allEnded();
  }

  /** Starts a process with a node in it. */
  private Host boot(String name, int index) {
    Host host = new Host(name, timeline, random.split(), this::failed);
    int concurrency = random.nextInt(1, 4);
    int prefetch = random.nextInt(3);
    LivenessSettings liveness = LIVENESS.get(random.nextInt(LIVENESS.size()));
    MeterRegistry meters =
        random.nextInt(8) == 0 ? new BrokenMeters(host.chance()) : new CompositeMeterRegistry();
    SimulatedNetwork network =
        new SimulatedNetwork(timeline, host, faultModel, observer, transactions, trace);
    int leaseUsers = random.nextInt(3);
    Store store = bug.node().apply(Interposed.on(database, network));
    host.spawn(() -> {
      try {
        HoldfastNode node =
            HoldfastNode.on(store)
                .environment(host.environment())
                .id(name)
                .meters(meters)
                .codec(new Workload.TextCodec())
                .executor(host.executor())
                .liveness(bug.liveness().apply(liveness))
                .poll(Duration.ofMillis(200), Duration.ofSeconds(2))
                .queue("default", concurrency, prefetch)
                .handle(Workload.TASK, workload::handle)
                .handle(RunShapes.STEP, handlers::step)
                .handle(RunShapes.UNDO, handlers::step)
                .handle(RunShapes.LAST, handlers::step)
                .handle(RunShapes.DURABLE, handlers::durable)
                .start();
        trace.note(name, "has started");
        load.connect(host, node.client());
        for (int i = 0; i < leaseUsers; i++) {
          LeaseUser user = new LeaseUser(timeline, host, faultModel, leases, trace);
          host.spawn(() -> user.work(node.leases()));
        }
      } catch (StoreException away) {
        timeline.at(timeline.now(), host::crash);
      }
    });
    watch(host, index);
    return host;
  }

  /** Lets others run between two statements of a transaction, whose connection may break. */
  private void betweenStatements() {
    SimulatedThread me = timeline.running();
    me.sleepUntil(timeline.now() + me.host().chance().nextLong(100_000, 10_000_000));
    if (faultModel.isStoreAway() || faultModel.isStoreReadOnly() || me.host().isCutOff()) {
      throw new StoreException(
          StoreException.Outcome.RETRYABLE, "The connection broke during a transaction.", null);
    }
  }

  private void sawSignOfLife(UUID incarnation) {
    if (competes) {
      competitor.sawSignOfLife(incarnation);
    }
  }

  /** Restarts a crashed host after a while, as a supervisor would. */
  private void watch(Host host, int index) {
    timeline.at(
        timeline.now() + SECOND / 2,
        () -> {
          if (host.isCrashed()) {
            timeline.at(
                timeline.now() + random.nextLong(6 * SECOND),
                () -> hosts.set(index, boot(host.name(), index)));
          } else {
            watch(host, index);
          }
        });
  }

  private void failed(Throwable failure) {
    checker.violated(Invariant.NO_ROLE_FAILS, String.valueOf(failure));
  }
}
