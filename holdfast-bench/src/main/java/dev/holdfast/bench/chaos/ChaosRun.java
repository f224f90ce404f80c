package dev.holdfast.bench.chaos;

import dev.holdfast.bench.chaos.AttemptLog.Counts;
import dev.holdfast.bench.chaos.Member.Cluster;
import dev.holdfast.bench.chaos.Workload.Verified;
import dev.holdfast.cli.database.Address;
import dev.holdfast.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Runs a cluster under load, injects faults, waits until it has settled, and checks the result. */
final class ChaosRun {
  private static final int MEMBERS = 4;
  private static final String SCHEMA = "holdfast_chaos";

  private final EmbeddedPostgres server;
  private final String database;
  private final Path folder;
  private final Consumer<String> say;

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
  }

  Outcome run(Plan plan) throws Exception {
    Optional<Path> library = FakeTime.library();
    Script script =
        Script.of(
            plan.seed, new Script.Stage(MEMBERS, plan.length, plan.idle, library.isPresent()));
    StoreAccess access =
        new StoreAccess(
            new Address(server.jdbcUrl(database), server.user(), server.password()), SCHEMA, false);
    List<Member> members = new ArrayList<>();
    try (Workload load = new Workload(access, access, plan.seed, say)) {
      Duration settled;
      try {
        Cluster cluster = new Cluster(server, database, SCHEMA, folder);
        for (int number = 0; number < MEMBERS; number++) {
          members.add(new Member(number, cluster, clockOf(number, library)));
        }
        load.awaitNodes(MEMBERS);
        new FaultInjector(server, database, members, say).rage(script);
        settled = load.finish();
      } finally {
        for (Member member : members) {
          member.close();
        }
      }
      Verified verified =
          load.verify(members.stream().flatMap(member -> member.journals().stream()).toList());
      return new Outcome(
          script,
          verified.acknowledged().size(),
          verified.runs(),
          verified.effects().size(),
          verified.counts(),
          settled,
          verified.findings(),
          verified.stuck());
    }
  }

  private Optional<FakeTime> clockOf(int number, Optional<Path> library) throws IOException {
    return number == Script.CLOCK_MEMBER && library.isPresent()
        ? Optional.of(new FakeTime(library.get(), folder))
        : Optional.empty();
  }
}
