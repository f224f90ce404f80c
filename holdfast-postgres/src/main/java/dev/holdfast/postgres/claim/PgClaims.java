package dev.holdfast.postgres.claim;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimRequest;
import dev.holdfast.engine.store.ClaimRequest.Suspects;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Claims;
import dev.holdfast.engine.store.Stacks;
import dev.holdfast.engine.store.StepRef;
import dev.holdfast.engine.store.Suspicion;
import dev.holdfast.engine.store.TaskStore;
import dev.holdfast.postgres.claim.UnreadableJobs.Unreadable;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlValues;
import dev.holdfast.postgres.rule.HeldCount;
import dev.holdfast.postgres.rule.TaskRuleGate;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** Claims, starts and hands back jobs. */
public final class PgClaims implements Claims {
  // By queue_pkey. Claims under a limit run one at a time. Each counts in a later statement, whose
  // snapshot is newer than this lock.
  private static final String LOCK_LIMIT =
      "select max_held from ${schema}.queue where name = :queue and not paused for update";

  private final Database database;
  private final Starts starts;
  private final LaneMemory<ReadyScan> scans;
  private final LaneMemory<SuspectBackoff> suspectPaces =
      new LaneMemory<>(() -> new SuspectBackoff(System.nanoTime()));
  private final String claimOneTask;
  private final String claimSeveralTasks;
  private final String claimStacks;
  private final String claimSuspects;
  private final String lockLimit;
  private final String held;
  private final String heldWithoutPayloads;
  private final HeldCount heldCount;
  private final ReadyEntries readyEntries;
  private final ReadyQueues readyQueues;
  private final ReadyStacks readyStacks;
  private final TaskRuleGate gate;
  private final UnreadableJobs unreadableJobs;
  private final HeldCap cap;

  public PgClaims(Database database, Duration aging) {
    this(database, aging, ReadyScan.Slow.DEFAULT);
  }

  /**
   * @param maxHeld how many jobs all nodes together may hold; supplies null for no limit
   */
  public PgClaims(Database database, Duration aging, Supplier<@Nullable Integer> maxHeld) {
    this(database, aging, ReadyScan.Slow.DEFAULT, maxHeld);
  }

  public PgClaims(Database database, Duration aging, ReadyScan.Slow slow) {
    this(database, aging, slow, () -> null);
  }

  private PgClaims(
      Database database, Duration aging, ReadyScan.Slow slow, Supplier<@Nullable Integer> maxHeld) {
    this.database = database;
    this.cap = new HeldCap(database, maxHeld);
    this.scans = new LaneMemory<>(() -> new ReadyScan(aging, slow));
    this.readyEntries = new ReadyEntries(database);
    this.readyQueues = new ReadyQueues(database);
    this.readyStacks = new ReadyStacks(database);
    this.starts = new Starts(database);
    this.claimOneTask = ClaimSql.oneTask(database);
    this.claimSeveralTasks = ClaimSql.severalTasks(database);
    this.claimStacks = ClaimSql.stacks(database);
    this.claimSuspects = ClaimSql.suspects(database);
    this.lockLimit = database.sql(LOCK_LIMIT);
    this.held = ClaimSql.held(database, true);
    this.heldWithoutPayloads = ClaimSql.held(database, false);
    this.heldCount = HeldCount.ofQueue(database);
    this.gate = new TaskRuleGate(database);
    this.unreadableJobs = new UnreadableJobs(database);
  }

  @Override
  public List<ClaimedJob> claim(ClaimRequest asked) {
    if (asked.wanted() <= 0 || asked.tasks().isEmpty()) {
      return List.of();
    }
    ClaimRequest request = Stacks.areAll(asked.stacks()) ? named(asked) : asked;
    String operation = "claim jobs of queue %s".formatted(request.queue());
    Integer most = cap.most();
    if (most != null) {
      return database.transaction(
          operation, handle -> claimByRules(handle, request, cap.room(handle, most)));
    }
    return request.limit() == null && request.alone() == null
        ? database.run(operation, handle -> claim(handle, request, request.wanted()))
        : database.transaction(
            operation, handle -> claimByRules(handle, request, request.wanted()));
  }

  /**
   * Returns a request of a node that serves all stacks, with the names of those that have ready
   * jobs. They are looked up before a transaction of the claim starts, in which {@link
   * ReadyEntries} must be the first to read the indexes.
   */
  private ClaimRequest named(ClaimRequest request) {
    return new ClaimRequest(
        request.incarnation(),
        request.claimNo(),
        request.queue(),
        request.tasks(),
        request.start(),
        request.prefetch(),
        request.limit(),
        request.suspects(),
        readyStacks.of(request.queue(), request.tasks()),
        request.alone(),
        request.without());
  }

  /**
   * Claims under a limit. A transaction that locks both rows locks the row of the queue first, to
   * prevent deadlocks.
   *
   * @param most how many jobs to claim at most, whatever the limits of the queue and the task are
   */
  private List<ClaimedJob> claimByRules(Handle handle, ClaimRequest request, int most) {
    Integer limit = request.limit();
    int room =
        Math.min(
            Math.min(most, request.wanted()),
            limit == null || most <= 0 ? request.wanted() : room(handle, request, limit));
    if (room <= 0) {
      return List.of();
    }
    TaskStore.Rule alone = request.alone();
    return alone == null
        ? claim(handle, request, room)
        : gate.claim(handle, request, alone, room, admitted -> claim(handle, request, admitted));
  }

  private int room(Handle handle, ClaimRequest request, int limit) {
    Optional<Integer> recorded =
        handle
            .createQuery(lockLimit)
            .bind("queue", request.queue())
            .map((row, context) -> row.getInt(1))
            .findOne();
    if (recorded.isEmpty() || recorded.get() != limit) {
      return 0;
    }
    return (int) Math.min(request.wanted(), limit - heldCount.of(handle, request.queue()));
  }

  private List<ClaimedJob> claim(Handle handle, ClaimRequest request, int wanted) {
    SuspectBackoff pace = suspectPaces.of(request.queue(), request.tasks(), request.stacks());
    List<Ranked> claimed = new ArrayList<>();
    boolean looked = request.suspects().most() > 0 && pace.isDue(System.nanoTime());
    if (looked) {
      claimed.addAll(claimSuspects(handle, request, wanted, pace));
    }
    ClaimRequest rest = rest(request, claimed, wanted);
    if (rest.wanted() > 0) {
      List<Ranked> others = claimOthers(handle, rest);
      pace.found(others.size(), rest.wanted());
      claimed.addAll(others);
    }
    if (claimed.isEmpty() && request.suspects().most() > 0 && !looked) {
      claimed.addAll(claimSuspects(handle, request, wanted, pace));
    }
    claimed.sort(Comparator.comparing(Ranked::rank));
    return claimed.stream().map(Ranked::job).toList();
  }

  private List<Ranked> claimSuspects(
      Handle handle, ClaimRequest request, int wanted, SuspectBackoff pace) {
    int most = Math.min(request.suspects().most(), wanted);
    List<Ranked> suspects = run(handle, claimSuspects, request, most, ReadyScan.WHOLE);
    pace.looked(System.nanoTime(), suspects.size());
    return suspects;
  }

  private List<Ranked> claimOthers(Handle handle, ClaimRequest request) {
    int wanted = request.wanted();
    ReadyScan scan = scans.of(request.queue(), request.tasks(), request.stacks());
    if (scan.isUnclear()) {
      long startedAt = System.nanoTime();
      long entries = readyEntries.before(handle, request);
      scan.counted(entries, startedAt, System.nanoTime());
    }
    List<ReadyScan.Window> windows = scan.windows(System.nanoTime());
    List<Ranked> claimed = new ArrayList<>(claim(handle, request, wanted, windows, scan));
    if (claimed.size() < wanted && !windows.equals(ReadyScan.WHOLE) && scan.affordsWhole()) {
      ClaimRequest rest = rest(request, claimed, wanted);
      claimed.addAll(claim(handle, rest, rest.wanted(), ReadyScan.WHOLE, scan));
    }
    return claimed;
  }

  /** Returns what is left of a request after a part of it was claimed. */
  private static ClaimRequest rest(ClaimRequest request, List<Ranked> claimed, int wanted) {
    int started = (int) claimed.stream().filter(ranked -> ranked.job().started()).count();
    int left = wanted - claimed.size();
    int start = Math.clamp(request.start() - started, 0, left);
    return new ClaimRequest(
        request.incarnation(),
        request.claimNo(),
        request.queue(),
        request.tasks(),
        start,
        left - start,
        request.limit(),
        Suspects.NONE,
        request.stacks(),
        request.alone(),
        request.without());
  }

  /** Claims jobs and updates the scan with what was seen. */
  private List<Ranked> claim(
      Handle handle,
      ClaimRequest request,
      int wanted,
      List<ReadyScan.Window> windows,
      ReadyScan scan) {
    long startedAt = System.nanoTime();
    List<Ranked> claimed = claim(handle, request, wanted, windows);
    long ended = System.nanoTime();
    scan.took(windows, startedAt, ended);
    if (!claimed.isEmpty()) {
      Instant last = claimed.size() < wanted ? null : claimed.getLast().rank();
      scan.saw(claimed.getFirst().job().claimedAt(), last, ended);
    }
    return claimed;
  }

  private List<Ranked> claim(
      Handle handle, ClaimRequest request, int wanted, List<ReadyScan.Window> windows) {
    boolean one = request.tasks().size() == 1 && request.stacks().isEmpty();
    String several = request.stacks().isEmpty() ? claimSeveralTasks : claimStacks;
    return run(handle, one ? claimOneTask : several, request, wanted, windows);
  }

  private List<Ranked> run(
      Handle handle,
      String claim,
      ClaimRequest request,
      int wanted,
      List<ReadyScan.Window> windows) {
    Query query =
        handle
            .createQuery(request.without().isEmpty() ? claim : ClaimSql.leavingOut(claim))
            .bind("task", request.tasks().getFirst())
            .bind("incarnation", request.incarnation())
            .bind("claimNo", request.claimNo())
            .bind("queue", request.queue())
            .bind("limit", request.limit())
            .bind("alone", request.alone() != null)
            .bind("taskCapped", request.alone() != null && request.alone().limit() != null)
            .bind("start", request.start())
            .bind("wanted", wanted)
            .bind("lone", request.suspects().lone())
            .bindArray("stacks", String.class, request.stacks())
            .bindArray("tasks", String.class, Set.copyOf(request.tasks()))
            .bindArray(
                "from", String.class, windows.stream().map(w -> w.from().toString()).toList())
            .bindArray("to", String.class, windows.stream().map(w -> w.to().toString()).toList());
    if (!request.without().isEmpty()) {
      query.bindArray(
          "without", UUID.class, request.without().stream().map(id -> id.value()).toList());
    }
    List<Unreadable> unreadable = new ArrayList<>();
    List<Ranked> claimed = new ArrayList<>();
    for (Taken taken : query.map((row, context) -> Taken.read(row, request.queue())).list()) {
      switch (taken) {
        case Ranked ranked -> claimed.add(ranked);
        case Broken(Unreadable job) -> unreadable.add(job);
      }
    }
    if (!unreadable.isEmpty()) {
      unreadableJobs.bury(handle, request.incarnation(), unreadable);
    }
    claimed.sort(Comparator.comparing(Ranked::rank));
    return claimed;
  }

  @Override
  public List<ClaimedJob> held(UUID incarnation, Set<JobId> jobs, boolean payloads) {
    if (jobs.isEmpty()) {
      return List.of();
    }
    return database.run(
        "read %d jobs of incarnation %s".formatted(jobs.size(), incarnation),
        handle ->
            handle
                .createQuery(payloads ? held : heldWithoutPayloads)
                .bind("incarnation", incarnation)
                .bindArray("ids", UUID.class, jobs.stream().map(JobId::value).toList())
                .map((row, context) -> Ranked.read(row, row.getString(21)))
                .list()
                .stream()
                .sorted(Comparator.comparing(Ranked::rank))
                .map(Ranked::job)
                .toList());
  }

  @Override
  public Set<String> queuesWithReadyJobs(
      Set<String> queues, Set<String> tasks, Set<String> stacks) {
    return database.run(
        "look for ready jobs in %d queues".formatted(queues.size()),
        handle -> readyQueues.find(handle, queues, tasks, stacks));
  }

  @Override
  public Set<ClaimId> start(UUID incarnation, List<ClaimId> claims) {
    return claims.isEmpty()
        ? Set.of()
        : database.run(
            "start %d claimed jobs".formatted(claims.size()),
            handle -> starts.start(handle, incarnation, claims));
  }

  @Override
  public Set<ClaimId> giveBack(UUID incarnation, List<ReleasedClaim> claims) {
    return claims.isEmpty()
        ? Set.of()
        : database.run(
            "hand back %d claimed jobs".formatted(claims.size()),
            handle -> starts.giveBack(handle, incarnation, claims));
  }

  /** A claimed row. The claim is committed, so one bad row must not lose the others. */
  private sealed interface Taken {
    static Taken read(ResultSet row, String queue) throws SQLException {
      try {
        return Ranked.read(row, queue);
      } catch (SQLException | RuntimeException why) {
        ClaimId held = new ClaimId(new JobId(row.getObject(1, UUID.class)), row.getLong(2));
        return new Broken(new Unreadable(held, row.getInt(5), why));
      }
    }
  }

  /** A row that cannot be read. */
  private record Broken(Unreadable job) implements Taken {}

  /** A claimed job with its rank, because the rows are returned in no particular order. */
  private record Ranked(Instant rank, ClaimedJob job) implements Taken {
    static Ranked read(ResultSet row, String queue) throws SQLException {
      boolean started = row.getString(4).equals("RUNNING");
      int attempts = row.getInt(5);
      return new Ranked(
          SqlValues.instant(row, 13),
          new ClaimedJob(
              new JobId(row.getObject(1, UUID.class)),
              row.getLong(2),
              row.getString(3),
              queue,
              started,
              started ? attempts : attempts + 1,
              row.getInt(6),
              row.getString(7),
              SqlValues.strings(row, 8),
              row.getString(9),
              row.getString(16),
              row.getString(17),
              SqlValues.instant(row, 10),
              SqlValues.instant(row, 11),
              SqlValues.instant(row, 12),
              row.getInt(14),
              row.getString(15) == null ? Suspicion.NONE : Suspicion.valueOf(row.getString(15)),
              step(row)));
    }

    private static @Nullable StepRef step(ResultSet row) throws SQLException {
      UUID run = row.getObject(18, UUID.class);
      return run == null ? null : new StepRef(new RunId(run), row.getInt(19), row.getInt(20));
    }
  }
}
