package dev.holdfast.postgres;

import dev.holdfast.engine.store.ScheduleBook;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.Values;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Work that recurs. Single schedules by schedule_pkey. */
final class PgScheduleBook implements ScheduleBook {
  private static final String LOOK =
      """
      select now() as now, ${columns}
      from (select) one left join ${schema}.schedule s on s.id = :id
      """;

  private static final String LIST =
      "select ${columns} from ${schema}.schedule s where not s.cancelled order by s.id";

  private static final String INSERT =
      """
      insert into ${schema}.schedule
        (id, revision, created_at, anchor, next_fire, starts_at, ends_at, jitter, start_within,
         priority, paused, timing, misfire, overlap, queue, task, payload, policy, tags,
         application, fingerprint, stack)
      values
        (:id, nextval('${schema}.schedule_number'), now(), :anchor, :next, :starts, :ends, :jitter,
         :startWithin, :priority, :paused, :timing, :misfire, :overlap, :queue, :task, :payload,
         :policy, :tags::text[], :application, :fingerprint, :stack)
      on conflict (id) do nothing
      """;

  private static final String UPDATE =
      """
      update ${schema}.schedule set
        revision = nextval('${schema}.schedule_number'), anchor = :anchor, next_fire = :next,
        starts_at = :starts, ends_at = :ends, jitter = :jitter, start_within = :startWithin,
        priority = :priority, paused = :paused, cancelled = false, timing = :timing,
        misfire = :misfire, overlap = :overlap, queue = :queue, task = :task, payload = :payload,
        policy = :policy, tags = :tags::text[], application = :application,
        fingerprint = :fingerprint, stack = :stack
      where id = :id and revision = :seen
      """;

  // By schedule_pkey or schedule_tags. A declared one is only marked, or its nodes would make it
  // again.
  private static final String CANCEL =
      """
      with marked as (
        update ${schema}.schedule s
        set cancelled = true, revision = nextval('${schema}.schedule_number')
        where ${which} and not s.cancelled and s.application is not null
        returning 1
      ), deleted as (
        delete from ${schema}.schedule s where ${which} and s.application is null
        returning 1
      )
      select (select count(*) from marked) + (select count(*) from deleted)
      """;

  // Both by schedule_due; a job in the way by job_unique. One statement, since every idle node asks
  // it: without anything due it answers with a single row that has no schedule.
  private static final String DUE =
      """
      select moment.now as asked_at, moment.wait, ${columns},
        s.overlap = 'QUEUE' and exists (
          select from ${schema}.job j
          where j.task = s.task and j.unique_key = 'schedule:' || s.id) as blocked
      from (
        select now() as now, (
          select (extract(epoch from min(next_fire) - now()) * 1000000)::bigint
          from ${schema}.schedule
          where next_fire > now() and not paused and not cancelled) as wait) moment
      left join ${schema}.schedule s
        on s.next_fire <= now() and not s.paused and not s.cancelled
      order by s.next_fire, s.id
      """;

  private final Database database;
  private final ReadableSchedules readable = new ReadableSchedules();
  private final ScheduleFiring firing;
  private final DeclarationStatements declarations;
  private final String look;
  private final String list;
  private final String insert;
  private final String update;
  private final String cancel;
  private final String cancelTagged;
  private final String due;

  PgScheduleBook(Database database, IntakeStatements intake) {
    this.database = database;
    this.firing = new ScheduleFiring(database, intake);
    this.declarations = new DeclarationStatements(database);
    this.look = sql(LOOK);
    this.list = sql(LIST);
    this.insert = sql(INSERT);
    this.update = sql(UPDATE);
    this.cancel = sql(CANCEL.replace("${which}", "s.id = :what"));
    this.cancelTagged = sql(CANCEL.replace("${which}", "s.tags @> array[:what]::text[]"));
    this.due = sql(DUE);
  }

  private String sql(String template) {
    return database.sql(template.replace("${columns}", ScheduleColumns.LIST));
  }

  @Override
  public Glance look(String id) {
    return database.run(
        "look at schedule %s".formatted(id),
        handle ->
            handle
                .createQuery(look)
                .bind("id", id)
                .map((row, context) ->
                    new Glance(
                        Values.instant(row, 1),
                        row.getString("id") == null
                            ? Optional.empty()
                            : Optional.of(ScheduleColumns.read(row))))
                .one());
  }

  @Override
  public List<Kept> list() {
    return database.run(
        "list the schedules",
        handle ->
            handle.createQuery(list).map((row, context) -> readable.read(row)).list().stream()
                .flatMap(Optional::stream)
                .toList());
  }

  @Override
  public boolean save(Draft draft, @Nullable Long seen) {
    return database.run(
        "write schedule %s".formatted(draft.plan().id()),
        handle ->
            ScheduleColumns.bind(handle.createUpdate(seen == null ? insert : update), draft)
                    .bind("seen", seen)
                    .execute()
                == 1);
  }

  @Override
  public int cancel(String id) {
    return cancel(cancel, id);
  }

  @Override
  public int cancelTagged(String tag) {
    return cancel(cancelTagged, tag);
  }

  private int cancel(String sql, String what) {
    return database.run(
        "cancel schedules of %s".formatted(what),
        handle ->
            handle.createQuery(sql).bind("what", what).map((row, context) -> row.getInt(1)).one());
  }

  /**
   * One row of the answer.
   *
   * @param kept empty where nothing is due, or it cannot be read here
   * @param blocked whether a live job is in its way
   */
  private record Row(Instant now, Optional<Duration> left, Optional<Kept> kept, boolean blocked) {}

  @Override
  public DueReport due(int limit) {
    List<Row> rows =
        database.run(
            "look for schedules that are due",
            handle -> handle.createQuery(due).map((row, context) -> dueRow(row)).list());
    List<Kept> free = new ArrayList<>();
    boolean blocked = false;
    for (Row row : rows) {
      if (row.kept().isPresent()) {
        blocked |= row.blocked();
        if (!row.blocked() && free.size() < limit) {
          free.add(row.kept().get());
        }
      }
    }
    Row any = rows.getFirst();
    return new DueReport(any.now(), free, blocked, any.left());
  }

  private Row dueRow(ResultSet row) throws SQLException {
    return new Row(
        Values.instant(row, 1),
        Optional.ofNullable(row.getObject(2, Long.class)).map(Values::ofMicros),
        row.getString("id") == null ? Optional.empty() : readable.read(row),
        row.getBoolean("blocked"));
  }

  @Override
  public FireReport fire(FireOrder order) {
    return firing.fire(order);
  }

  @Override
  public Survey declare(UUID incarnation, String application, Map<String, String> fingerprints) {
    return declarations.declare(incarnation, application, fingerprints);
  }

  @Override
  public List<String> cancelUndeclared(UUID incarnation, String application) {
    return declarations.cancelUndeclared(incarnation, application);
  }
}
