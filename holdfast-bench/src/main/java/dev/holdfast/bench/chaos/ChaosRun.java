package dev.holdfast.bench.chaos;

import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.bench.chaos.AttemptLog.Contents;
import dev.holdfast.bench.chaos.AttemptLog.Counts;
import dev.holdfast.bench.chaos.Evidence.Effect;
import dev.holdfast.bench.chaos.Member.Cluster;
import dev.holdfast.bench.harness.BenchException;
import dev.holdfast.cli.database.Address;
import dev.holdfast.embedded.EmbeddedPostgres;
import dev.holdfast.postgres.PostgresStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;

/** Runs a cluster under load, injects faults, waits until it has settled, and checks the result. */
final class ChaosRun {
  private static final int MEMBERS = 4;
  private static final String SCHEMA = "holdfast_chaos";
  private static final Duration TIME_TO_START = Duration.ofMinutes(2);
  // A job that has crashed a few times waits for more than a minute before its next attempt.
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final Duration LOOK_EVERY = Duration.ofMillis(250);

  private final EmbeddedPostgres server;
  private final String database;
  private final Path folder;
  private final Consumer<String> say;
  private final StoredState stored;

  /**
   * The parameters of a run.
   *
   * @param length how long faults are injected
   * @param idle how long a transaction is held open meanwhile
   */
  record Plan(long seed, Duration length, Duration idle) {
    /** Returns a plan with an idle transaction of a fifth of the length, at most a minute. */
    static Plan of(long seed, Duration length) {
      Duration fifth = length.dividedBy(5);
      Duration minute = Duration.ofMinutes(1);
      return new Plan(seed, length, fifth.compareTo(minute) < 0 ? fifth : minute);
    }
  }

  /**
   * The outcome of a run.
   *
   * @param counts the sum of the counts of all nodes, without the last moments of killed nodes
   * @param settled the time from the last fault until the last job ended
   */
  record Outcome(
      Script script,
      int jobs,
      int runs,
      int effects,
      Counts counts,
      Duration settled,
      Findings findings,
      List<String> stuck) {}

  /**
   * @param server the server, which is restarted and killed during the run
   * @param database a database of that server, without tables
   * @param folder the folder for attempt logs and log files
   */
  ChaosRun(EmbeddedPostgres server, String database, Path folder, Consumer<String> say) {
    this.server = server;
    this.database = database;
    this.folder = folder;
    this.say = say;
    this.stored = new StoredState(server, database, SCHEMA);
  }

  Outcome run(Plan plan) throws Exception {
    Optional<Path> library = FakeTime.library();
    Script script =
        Script.of(
            plan.seed, new Script.Stage(MEMBERS, plan.length, plan.idle, library.isPresent()));
    Address address = new Address(server.jdbcUrl(database), server.user(), server.password());
    List<Member> members = new ArrayList<>();
    stored.createBookings();
    try (PostgresStore store = PostgresStore.connect(address.settings(SCHEMA).build());
        Load load = new Load(store, plan.seed);
        RunLoad runLoad = new RunLoad(store, plan.seed)) {
      Set<UUID> acknowledged;
      Map<UUID, Workflow<?, ?>> started;
      long calm;
      try {
        Cluster cluster = new Cluster(server, database, SCHEMA, folder);
        for (int number = 0; number < MEMBERS; number++) {
          members.add(new Member(number, cluster, clockOf(number, library)));
        }
        awaitMembers();
        new FaultInjector(server, database, members, say).rage(script);
        acknowledged = load.stop();
        started = runLoad.stop();
        calm = System.nanoTime();
        settle();
      } finally {
        for (Member member : members) {
          member.close();
        }
      }
      Duration settled = Duration.ofNanos(System.nanoTime() - calm);
      return outcome(script, acknowledged, started, members, settled);
    }
  }

  private Optional<FakeTime> clockOf(int number, Optional<Path> library) throws IOException {
    return number == Script.CLOCK_MEMBER && library.isPresent()
        ? Optional.of(new FakeTime(library.get(), folder))
        : Optional.empty();
  }

  private void awaitMembers() throws Exception {
    long started = System.nanoTime();
    while (stored.livingNodes() < MEMBERS) {
      if (System.nanoTime() - started > TIME_TO_START.toNanos()) {
        throw new BenchException(
            "Only %d of %d nodes have started within %s: see their logs in %s."
                .formatted(stored.livingNodes(), MEMBERS, TIME_TO_START, folder));
      }
      Thread.sleep(LOOK_EVERY);
    }
  }

  private void settle() throws Exception {
    say.accept("all faults are injected; waiting for %d jobs and runs".formatted(stored.open()));
    long left = Long.MAX_VALUE;
    long progressed = System.nanoTime();
    while (left > 0 && System.nanoTime() - progressed < PATIENCE.toNanos()) {
      Thread.sleep(LOOK_EVERY);
      long now = stored.open();
      if (now < left) {
        left = now;
        progressed = System.nanoTime();
      }
    }
  }

  private Outcome outcome(
      Script script,
      Set<UUID> acknowledged,
      Map<UUID, Workflow<?, ?>> started,
      List<Member> members,
      Duration settled)
      throws IOException, SQLException {
    List<Effect> effects = new ArrayList<>();
    Counts counts = Counts.NONE;
    for (Member member : members) {
      for (Path journal : member.journals()) {
        // A process that was killed right after its start may not have created the file.
        if (Files.exists(journal)) {
          Contents contents = AttemptLog.read(journal);
          effects.addAll(contents.effects());
          counts = counts.plus(contents.counts());
        }
      }
    }
    Findings findings =
        Checker.check(new Evidence(acknowledged, stored.ended(), stored.live(), effects))
            .plus(
                RunCheck.check(
                    new RunEvidence(
                        started,
                        stored.endedRuns(),
                        stored.stepJobs(),
                        stored.bookings(),
                        effects)));
    return new Outcome(
        script,
        acknowledged.size(),
        started.size(),
        effects.size(),
        counts,
        settled,
        findings,
        stored.stuck(20));
  }
}
