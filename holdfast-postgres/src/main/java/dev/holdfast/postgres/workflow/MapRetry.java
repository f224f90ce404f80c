package dev.holdfast.postgres.workflow;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.When;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.store.JobQueries;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.StepRef;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.intake.IntakeStatements;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Runs the failed and cancelled elements of a map again, with their jobs and so with their
 * journals; those that succeeded keep their result.
 */
final class MapRetry {
  // By run_map_pkey.
  private static final String MAP =
      "select inserted, policy from ${schema}.run_map where run_id = :run and step = :step";

  // By run_result_pkey.
  private static final String ITEMS =
      """
      select item, job_id, outcome = 'S', token from ${schema}.run_result
      where run_id = :run and step = :step and item >= 0
      """;

  // By run_result_pkey.
  private static final String FORGET =
      """
      delete from ${schema}.run_result
      where run_id = :run and step = :step and (item = -1 or outcome <> 'S')
      """;

  // By run_map_pkey.
  private static final String RESET =
      """
      update ${schema}.run_map set ok = :ok, failed = 0, cancelled = 0
      where run_id = :run and step = :step
      """;

  // By dead_letter_run and job_pkey. Tokens continue, so that journals are read and late writes of
  // earlier holders are refused.
  private static final String CONTINUE =
      """
      with former as (
        delete from ${schema}.dead_letter d
        where d.run_id = :run and d.step = :step and d.item >= 0
        returning d.id, d.token, d.created_at, d.failures, d.notes
      )
      update ${schema}.job j set
        token = greatest(j.token, f.token), created_at = f.created_at, failures = f.failures, notes = f.notes
      from former f where j.id = f.id
      """;

  // By journal_pkey and job_pkey. A job that has the first token of all would not read its journal.
  // Results keep the tokens from before a restore, new jobs have none of those.
  private static final String TAKE_JOURNALS =
      """
      with u as materialized (
        select * from unnest(:old::uuid[], :fresh::uuid[], :tokens::bigint[]) u(old, fresh, token)
      ), taken as (
        update ${schema}.journal n set job_id = u.fresh from u where n.job_id = u.old
      )
      update ${schema}.job j set token = greatest(j.token + 1, u.token) from u where j.id = u.fresh
      """;

  /** A cancelled job, and the job that continues it. */
  private record Replaced(JobId old, long token, NewJob fresh) {}

  private record Counted(int inserted, @Nullable String policy) {}

  private record Item(int item, @Nullable UUID job, boolean succeeded, long token) {}

  private final JobQueries jobs;
  private final IntakeStatements intake;
  private final String map;
  private final String items;
  private final String forget;
  private final String reset;
  private final String continued;
  private final String takeJournals;

  MapRetry(Database database, JobQueries jobs, IntakeStatements intake) {
    this.jobs = jobs;
    this.intake = intake;
    this.map = database.sql(MAP);
    this.items = database.sql(ITEMS);
    this.forget = database.sql(FORGET);
    this.reset = database.sql(RESET);
    this.continued = database.sql(CONTINUE);
    this.takeJournals = database.sql(TAKE_JOURNALS);
  }

  /**
   * Creates jobs for the elements that did not succeed, and returns them. Returns nothing if the
   * step is no map, or if one of its jobs is no longer stored: then the map starts over.
   */
  Optional<List<NewJob>> retry(Handle handle, RunId run, int step) throws SQLException {
    Optional<Counted> counted =
        handle
            .createQuery(map)
            .bind("run", run.value())
            .bind("step", step)
            .map((row, context) -> new Counted(row.getInt(1), row.getString(2)))
            .findOne();
    if (counted.isEmpty()) {
      return Optional.empty();
    }
    List<Item> ended =
        handle
            .createQuery(items)
            .bind("run", run.value())
            .bind("step", step)
            .map((row, context) ->
                new Item(
                    row.getInt(1), row.getObject(2, UUID.class), row.getBoolean(3), row.getLong(4)))
            .list();
    Map<JobId, Item> failed = new HashMap<>();
    for (Item item : ended) {
      if (!item.succeeded && item.job != null) {
        failed.put(new JobId(item.job), item);
      }
    }
    Map<JobId, Job> stored = jobs.find(failed.keySet());
    long succeeded = ended.stream().filter(Item::succeeded).count();
    if (failed.isEmpty()
        || stored.size() < failed.size()
        || succeeded + failed.size() != counted.get().inserted) {
      return Optional.empty();
    }
    List<NewJob> again = new ArrayList<>();
    List<Replaced> replaced = new ArrayList<>();
    stored.forEach((id, job) -> {
      Item item = Objects.requireNonNull(failed.get(id));
      NewJob next = again(job, new StepRef(run, step, item.item), counted.get().policy);
      again.add(next);
      if (!next.id().equals(id)) {
        replaced.add(new Replaced(id, item.token, next));
      }
    });
    handle.createUpdate(forget).bind("run", run.value()).bind("step", step).execute();
    handle
        .createUpdate(reset)
        .bind("run", run.value())
        .bind("step", step)
        .bind("ok", succeeded)
        .execute();
    again.sort((one, other) -> one.id().compareTo(other.id()));
    intake.insertSteps(handle.getConnection(), again);
    handle.createUpdate(continued).bind("run", run.value()).bind("step", step).execute();
    takeJournals(handle, replaced);
    return Optional.of(again);
  }

  private void takeJournals(Handle handle, List<Replaced> replaced) {
    if (!replaced.isEmpty()) {
      handle
          .createUpdate(takeJournals)
          .bindArray("old", UUID.class, Columns.of(replaced, r -> r.old.value()))
          .bindArray("fresh", UUID.class, Columns.of(replaced, r -> r.fresh.id().value()))
          .bindArray("tokens", Long.class, Columns.of(replaced, Replaced::token))
          .execute();
    }
  }

  /**
   * Returns a job for the same element: the same, if it is in the dead-letter queue. The id of a
   * cancelled job is in history and stays there.
   */
  private static NewJob again(Job job, StepRef step, @Nullable String policy) {
    return new NewJob(
        job.state() == JobState.FAILED
            ? job.id()
            : new JobId(UuidCreator.getTimeOrderedEpochPlus1()),
        NewJob.IdUse.FRESH,
        When.NOW,
        null,
        new NewJob.Content(
            job.task(),
            job.queue(),
            job.priority(),
            job.payload(),
            job.tags(),
            policy,
            job.startBy() == null ? null : Duration.between(job.runAt(), job.startBy()),
            new NewJob.Stamp(job.stack(), job.source(), job.parent(), step)));
  }
}
