package dev.holdfast.postgres.workflow;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
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
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Runs the failed and cancelled elements of a map again; those that succeeded keep their result.
 */
final class MapRetry {
  // By run_map_pkey.
  private static final String MAP =
      "select inserted, policy from ${schema}.run_map where run_id = :run and step = :step";

  // By run_result_pkey.
  private static final String ITEMS =
      """
      select item, job_id, outcome = 'S' from ${schema}.run_result
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

  private record Counted(int inserted, @Nullable String policy) {}

  private record Item(int item, @Nullable UUID job, boolean succeeded) {}

  private final JobQueries jobs;
  private final IntakeStatements intake;
  private final String map;
  private final String items;
  private final String forget;
  private final String reset;

  MapRetry(Database database, JobQueries jobs, IntakeStatements intake) {
    this.jobs = jobs;
    this.intake = intake;
    this.map = database.sql(MAP);
    this.items = database.sql(ITEMS);
    this.forget = database.sql(FORGET);
    this.reset = database.sql(RESET);
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
                new Item(row.getInt(1), row.getObject(2, UUID.class), row.getBoolean(3)))
            .list();
    Map<JobId, Integer> failed = new HashMap<>();
    for (Item item : ended) {
      if (!item.succeeded && item.job != null) {
        failed.put(new JobId(item.job), item.item);
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
    stored.forEach((id, job) ->
        again.add(
            again(job, new StepRef(run, step, failed.getOrDefault(id, 0)), counted.get().policy)));
    handle.createUpdate(forget).bind("run", run.value()).bind("step", step).execute();
    handle
        .createUpdate(reset)
        .bind("run", run.value())
        .bind("step", step)
        .bind("ok", succeeded)
        .execute();
    again.sort((one, other) -> one.id().compareTo(other.id()));
    intake.insertSteps(handle.getConnection(), again);
    return Optional.of(again);
  }

  /** Returns a new job for the same element: the id of the old one may be in history. */
  private static NewJob again(Job job, StepRef step, @Nullable String policy) {
    return new NewJob(
        new JobId(UuidCreator.getTimeOrderedEpochPlus1()),
        job.task(),
        job.queue(),
        job.priority(),
        When.NOW,
        job.payload(),
        null,
        job.tags(),
        policy,
        job.startBy() == null ? null : Duration.between(job.runAt(), job.startBy()),
        NewJob.IdUse.FRESH,
        new NewJob.Stamp(job.stack(), job.source(), job.parent(), step));
  }
}
