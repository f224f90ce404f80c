package dev.holdfast.postgres.workflow;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.store.Definitions;
import dev.holdfast.engine.store.RunAdvance;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunFacts;
import dev.holdfast.engine.store.RunPlanner;
import dev.holdfast.engine.store.StartHere;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlValues;
import dev.holdfast.postgres.workflow.PlanWriter.Planned;
import dev.holdfast.postgres.workflow.RunReads.Read;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;

/** Moves runs forward. */
final class PgRunAdvance implements RunAdvance {
  // By run_timer_due.
  private static final String FIRE =
      """
      with due as (
        delete from ${schema}.run_timer
        where ctid = any(array(
          select ctid from ${schema}.run_timer
          where due_at <= now() order by due_at limit :limit for update skip locked))
        returning run_id, step, kind
      ), marked as (
        insert into ${schema}.run_mark (run_id, kind, step) select run_id, kind, step from due
      )
      select run_id from due
      """;

  // The head of run_timer_due.
  private static final String NEXT =
      """
      select (extract(epoch from min(due_at) - now()) * 1000000)::bigint,
             exists (select from ${schema}.run)
      from ${schema}.run_timer
      """;

  // By run_mark_run and run_pkey. Runs whose marks are left although they were to be advanced. A
  // job that outlived its run has left marks that nothing will read. The snapshot decides: a run
  // that is retried meanwhile has deleted them, and its new marks are not in it.
  private static final String LEFT =
      """
      with found as materialized (
        select m.ctid as place, m.run_id,
          exists (select from ${schema}.run r where r.id = m.run_id) as open
        from ${schema}.run_mark m where m.run_id = any(:ids::uuid[])
      ), forgotten as (
        delete from ${schema}.run_mark m
        where m.ctid = any(array(select place from found where not open))
      )
      select distinct run_id from found where open
      """;

  private final Database database;
  private final PgDefinitions definitions;
  private final RunReads reads;
  private final RunDataReads data;
  private final PlanWriter writer;
  private final Gates gates;
  private final ExpressAdvance express;
  private final MarkReads marks;
  private final String fire;
  private final String next;
  private final String left;

  PgRunAdvance(
      Database database,
      PgDefinitions definitions,
      PlanWriter writer,
      Gates gates,
      ExpressAdvance express) {
    this.database = database;
    this.definitions = definitions;
    this.reads = new RunReads(database);
    this.data = new RunDataReads(database);
    this.writer = writer;
    this.gates = gates;
    this.express = express;
    this.marks = new MarkReads(database, System::nanoTime);
    this.fire = database.sql(FIRE);
    this.next = database.sql(NEXT);
    this.left = database.sql(LEFT);
  }

  @Override
  public List<RunId> marked(int limit) {
    return marks.find(limit);
  }

  @Override
  public Report advance(Collection<RunId> runs, RunPlanner planner) {
    if (runs.isEmpty()) {
      return report(new PlanEffects(), Set.of(), Set.of());
    }
    Set<UUID> missed = new HashSet<>();
    PlanEffects effects =
        Deadlocks.repeat(() ->
            database.transaction(
                "advance %d runs".formatted(runs.size()),
                handle -> {
                  List<Read> taken = reads.take(handle, runs);
                  missed.clear();
                  runs.forEach(run -> missed.add(run.value()));
                  taken.forEach(read -> missed.remove(read.facts().id().value()));
                  return advance(handle, taken, planner);
                }));
    Set<RunId> started = gates.letThrough(effects.gates);
    return report(effects, started, Deadlocks.repeat(() -> locked(missed)));
  }

  @Override
  public List<Seen> look(Collection<JobId> jobs, RunPlanner planner) {
    return database.run(
        "read the runs of %d jobs".formatted(jobs.size()),
        handle -> {
          List<Seen> seen = reads.look(handle, jobs);
          learn(handle, seen.stream().map(Seen::facts), planner);
          return seen;
        });
  }

  /**
   * Returns the open runs that have marks, although this call has not advanced them, and deletes
   * the marks of those that are not open.
   */
  private Set<RunId> locked(Set<UUID> missed) {
    return missed.isEmpty()
        ? Set.of()
        : database.run(
            "look for runs that others have locked",
            handle ->
                handle
                    .createQuery(left)
                    .bindArray("ids", UUID.class, missed)
                    .mapTo(UUID.class)
                    .map(RunId::new)
                    .collect(Collectors.toSet()));
  }

  private static Report report(PlanEffects effects, Set<RunId> started, Set<RunId> locked) {
    Set<RunId> next = new HashSet<>(effects.next);
    next.addAll(started);
    return new Report(
        effects.advanced,
        Map.copyOf(effects.ready),
        Map.copyOf(effects.ended),
        Set.copyOf(next),
        locked,
        Optional.ofNullable(effects.nextTimer()),
        Set.copyOf(effects.stopping),
        Map.copyOf(effects.seqs));
  }

  @Override
  public Expressed express(UUID incarnation, List<Express> steps, StartHere here) {
    return steps.isEmpty()
        ? new Expressed(Set.of(), List.of())
        : express.advance(incarnation, steps, here);
  }

  private PlanEffects advance(Handle handle, List<Read> taken, RunPlanner planner)
      throws SQLException {
    if (taken.isEmpty()) {
      return new PlanEffects();
    }
    learn(handle, taken.stream().map(Read::facts), planner);
    Map<RunId, RunData> known = data.read(handle, wanted(handle, taken, planner));
    List<Planned> plans =
        taken.stream()
            .map(read ->
                new Planned(
                    read.facts().id(),
                    read.facts().state(),
                    read.seq(),
                    read.facts().bytes(),
                    read.retried(),
                    planner.plan(
                        read.facts(), Objects.requireNonNull(known.get(read.facts().id()))),
                    null))
            .toList();
    PlanEffects effects = writer.carryOut(handle, plans);
    effects.advanced = plans.size();
    plans.stream()
        .filter(planned -> !planned.plan().state().hasEnded())
        .forEach(planned -> effects.seqs.put(planned.id(), planned.seqAfter()));
    return effects;
  }

  /** Asks what the planner needs, again and again as long as it learns graphs of child runs. */
  private List<RunDataReads.Wanted> wanted(Handle handle, List<Read> taken, RunPlanner planner) {
    Set<String> learned = new HashSet<>();
    while (true) {
      List<RunDataReads.Wanted> wanted =
          taken.stream()
              .map(read -> new RunDataReads.Wanted(read.facts(), planner.needs(read.facts())))
              .toList();
      Set<String> unknown =
          wanted.stream()
              .flatMap(each -> each.needs().definitions().stream())
              .filter(learned::add)
              .collect(Collectors.toSet());
      if (unknown.isEmpty()) {
        return wanted;
      }
      definitions.find(handle, unknown).forEach(planner::learn);
    }
  }

  private void learn(Handle handle, Stream<RunFacts> runs, RunPlanner planner) {
    Set<Integer> unknown =
        runs.map(RunFacts::definition)
            .filter(definition -> !planner.knows(definition))
            .collect(Collectors.toSet());
    if (!unknown.isEmpty()) {
      for (Definitions.Stored definition : definitions.byId(handle, unknown)) {
        planner.learn(definition);
      }
    }
  }

  @Override
  public Timers fireTimers(int limit) {
    return database.run(
        "fire the timers of runs",
        handle -> {
          Outlook outlook = outlook(handle);
          if (outlook.next().isEmpty() || !outlook.next().get().isZero()) {
            return new Timers(Set.of(), false, outlook.next(), outlook.open());
          }
          List<UUID> fired = handle.createQuery(fire).bind("limit", limit).mapTo(UUID.class).list();
          return new Timers(
              fired.stream().map(RunId::new).collect(Collectors.toSet()),
              fired.size() >= limit,
              outlook(handle).next(),
              true);
        });
  }

  /** When the next timer is due, and whether any run is open. */
  private record Outlook(Optional<Duration> next, boolean open) {}

  private Outlook outlook(Handle handle) {
    return handle
        .createQuery(next)
        .map((row, context) ->
            new Outlook(
                Optional.ofNullable(row.getObject(1, Long.class))
                    .map(micros -> SqlValues.ofMicros(Math.max(0, micros))),
                row.getBoolean(2)))
        .one();
  }
}
