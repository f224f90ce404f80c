package dev.holdfast.postgres.finish;

import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Outcomes.Result;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlValues;
import dev.holdfast.postgres.job.PausedRuns;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Lets jobs wait that asked for it. Their runs are locked before, as {@link PausedRuns} says. */
final class Parking {
  // By job_pkey, in the order of ids. A signal locks its job before it is inserted, so PARK, whose
  // snapshot is younger, sees every signal that did not see the job WAITING.
  private static final String LOCK =
      """
      select id from ${schema}.job where id = any(:ids::uuid[]) order by id for no key update
      """;

  // By job_pkey, signal_pkey and journal_pkey. The attempt does not count, and a job that has run
  // cannot expire. A request for the signal that was executed after its own repeat may have taken
  // it
  // meanwhile: then the job continues with it, and does not wait for another one.
  private static final String PARK =
      """
      with asked as materialized (
        select f.*, exists (
          select from ${schema}.signal s
          where s.owner = f.id and s.name = f.signal and s.consumed_by is null
        ) or exists (
          select from ${schema}.journal e
          where e.job_id = f.id and e.name = f.name and e.occurrence = f.occurrence
            and e.kind = 'RECEIVED') as there
        from unnest(:ids::uuid[], :tokens::bigint[], :delays::bigint[], :signals::text[],
            :names::text[], :occurrences::int[], :kinds::text[])
          f(id, token, delay, signal, name, occurrence, kind)
      ), parked as (
        update ${schema}.job j set
          state = case when ${paused} then 'ON_HOLD' when a.there then 'READY' else 'WAITING' end,
          held_from = case when not ${paused} then null
                           when a.there then 'READY' else 'WAITING' end,
          waits_for = case when a.there then null else a.signal end,
          run_at = now() + case when a.there then 0 else a.delay end * interval '1 microsecond',
          rank = now() + (case when a.there then 0 else a.delay end - j.priority * :aging)
                         * interval '1 microsecond',
          start_by = null,
          capped = false,
          done_token = j.token,
          attempt = j.attempt - 1
        from asked a
        where j.id = a.id and j.token = a.token
          and coalesce(j.state = 'RUNNING' and j.incarnation = :incarnation, false)
          and not j.cancel_requested
        returning j.id, j.token, j.state, a.name, a.occurrence, a.kind
      ), noted as (
        insert into ${schema}.journal as e (job_id, name, occurrence, kind)
        select id, name, occurrence, kind from parked
        on conflict (job_id, name, occurrence) do update set kind = excluded.kind
          where e.kind <> 'RECEIVED'
      )
      select id, token, state = 'READY' from parked
      """;

  private final long agingMicros;
  private final String lock;
  private final String park;

  Parking(Database database, Duration aging) {
    this.agingMicros = SqlValues.micros(aging);
    this.lock = database.sql(LOCK);
    this.park = database.sql(PausedRuns.in(PARK));
  }

  /** Parks jobs; those that were not held, or were to be cancelled, are not in the result. */
  Map<ClaimId, Result> park(Handle handle, UUID incarnation, List<Finish.Parked> finishes) {
    Map<ClaimId, Result> results = new HashMap<>();
    if (finishes.isEmpty()) {
      return results;
    }
    List<UUID> ids = column(finishes, f -> f.claim().id().value());
    if (finishes.stream().anyMatch(f -> f.signal() != null)) {
      handle.createQuery(lock).bindArray("ids", UUID.class, ids).mapTo(UUID.class).list();
    }
    handle
        .createQuery(park)
        .bind("incarnation", incarnation)
        .bind("aging", agingMicros)
        .bindArray("ids", UUID.class, ids)
        .bindArray("tokens", Long.class, column(finishes, f -> f.claim().token()))
        .bindArray("delays", Long.class, column(finishes, f -> SqlValues.micros(f.wake())))
        .bindArray("signals", String.class, nullable(finishes, Finish.Parked::signal))
        .bindArray("names", String.class, column(finishes, f -> f.entry().key().name()))
        .bindArray(
            "occurrences", Integer.class, column(finishes, f -> f.entry().key().occurrence()))
        .bindArray("kinds", String.class, column(finishes, f -> f.entry().kind().name()))
        .map((row, context) ->
            Map.entry(
                new ClaimId(new JobId(row.getObject(1, UUID.class)), row.getLong(2)),
                row.getBoolean(3) ? Result.READY_INSTEAD : Result.WRITTEN))
        .forEach(parked -> results.put(parked.getKey(), parked.getValue()));
    return results;
  }

  private static <V> List<V> column(
      List<Finish.Parked> finishes, Function<Finish.Parked, V> value) {
    return finishes.stream().map(value).toList();
  }

  private static List<@Nullable String> nullable(
      List<Finish.Parked> finishes, Function<Finish.Parked, @Nullable String> value) {
    List<@Nullable String> values = new ArrayList<>(finishes.size());
    finishes.forEach(finish -> values.add(value.apply(finish)));
    return values;
  }
}
