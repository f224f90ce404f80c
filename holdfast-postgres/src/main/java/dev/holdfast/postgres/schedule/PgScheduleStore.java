package dev.holdfast.postgres.schedule;

import dev.holdfast.engine.store.ScheduleStore;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlValues;
import dev.holdfast.postgres.intake.IntakeStatements;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Stores schedules. Single schedules by schedule_pkey. */
public final class PgScheduleStore implements ScheduleStore {
  /** How many times the limit are read, to choose from at random. */
  private static final int CHOICE = 10;

  private static final int MOST_LOOKS = 20;

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
        policy = :policy, tags = :tags::text[], application = :application, retry_at = null,
        fingerprint = :fingerprint, stack = :stack
      where id = :id and revision = :seen
      """;

  // By schedule_pkey or schedule_tags. A declared schedule is only marked, because its nodes would
  // create it again.
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

  // All by schedule_due; a blocking job by job_unique. One statement, because every idle node runs
  // it: if nothing is due, it returns a single row without a schedule. Whatever is due, it reads a
  // bounded number of schedules that may fire, and the payload only of those it returns.
  private static final String DUE =
      """
      with head as materialized (
        select s.id from ${schema}.schedule s
        where ${due} and not (${blocked})
          and (s.id, s.revision) not in (
            select * from unnest(:unreadable::text[], :revisions::bigint[]))
        order by greatest(s.next_fire, s.retry_at), s.id limit :choice
      ), chosen as materialized (
        select id from head order by random() limit :limit
      )
      select moment.now as asked_at, moment.wait, moment.blocked, ${columns}
      from (
        select now() as now, (
          select (extract(epoch from min(greatest(s.next_fire, s.retry_at)) - now())
                  * 1000000)::bigint
          from ${schema}.schedule s
          where greatest(s.next_fire, s.retry_at) > now() and s.next_fire is not null
            and not s.paused and not s.cancelled) as wait,
          case when (select count(*) from head) < :limit then exists (
            select from ${schema}.schedule s where ${due} and ${blocked}) else false end as blocked
      ) moment
      left join (chosen c join ${schema}.schedule s on s.id = c.id) on true
      order by s.next_fire, s.id
      """;

  private static final String IS_DUE =
      """
      greatest(s.next_fire, s.retry_at) <= now() and s.next_fire is not null
      and not s.paused and not s.cancelled\
      """;

  private static final String IS_BLOCKED =
      """
      s.overlap = 'QUEUE' and exists (
        select from ${schema}.job j
        where j.task = s.task and j.unique_key = 'schedule:' || s.id)\
      """;

  // By schedule_pkey.
  private static final String PUT_OFF =
      """
      update ${schema}.schedule set retry_at = now() + :delay * interval '1 microsecond'
      where id = :id and revision = :revision and next_fire = :seen
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
  private final String putOff;

  public PgScheduleStore(Database database, IntakeStatements intake) {
    this.database = database;
    this.firing = new ScheduleFiring(database, intake);
    this.declarations = new DeclarationStatements(database);
    this.look = sql(LOOK);
    this.list = sql(LIST);
    this.insert = sql(INSERT);
    this.update = sql(UPDATE);
    this.cancel = sql(CANCEL.replace("${which}", "s.id = :what"));
    this.cancelTagged = sql(CANCEL.replace("${which}", "s.tags @> array[:what]::text[]"));
    this.due = sql(DUE.replace("${due}", IS_DUE).replace("${blocked}", IS_BLOCKED));
    this.putOff = sql(PUT_OFF);
  }

  private String sql(String template) {
    return database.sql(template.replace("${columns}", ScheduleColumns.LIST));
  }

  @Override
  public Glance look(String id) {
    return database.run(
        "read schedule %s".formatted(id),
        handle ->
            handle
                .createQuery(look)
                .bind("id", id)
                .map((row, context) ->
                    new Glance(
                        SqlValues.instant(row, 1),
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
        "store schedule %s".formatted(draft.plan().id()),
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
   * One row of the result.
   *
   * @param id null if nothing is due
   * @param kept empty if nothing is due or the schedule cannot be read here
   */
  private record Row(
      Instant now,
      Optional<Duration> left,
      boolean blocked,
      @Nullable String id,
      Optional<Kept> kept) {
    boolean isUnreadable() {
      return id != null && kept.isEmpty();
    }
  }

  /**
   * Returns schedules that are due. It reads again without the schedules that this program cannot
   * read: however many these are, the others fire.
   */
  @Override
  public DueReport due(int limit) {
    return database.run(
        "look for schedules that are due",
        handle -> {
          List<Row> rows = dueRows(handle, limit);
          for (int look = 1;
              look < MOST_LOOKS && rows.stream().anyMatch(Row::isUnreadable);
              look++) {
            rows = dueRows(handle, limit);
          }
          Row any = rows.getFirst();
          List<Kept> due = rows.stream().flatMap(row -> row.kept().stream()).toList();
          return new DueReport(any.now(), due, any.blocked(), any.left());
        });
  }

  private List<Row> dueRows(Handle handle, int limit) {
    Map<String, Long> unreadable = readable.unreadable();
    return handle
        .createQuery(due)
        .bind("limit", limit)
        .bind("choice", (long) limit * CHOICE)
        .bindArray("unreadable", String.class, List.copyOf(unreadable.keySet()))
        .bindArray("revisions", Long.class, List.copyOf(unreadable.values()))
        .map((row, context) ->
            new Row(
                SqlValues.instant(row, 1),
                Optional.ofNullable(row.getObject(2, Long.class)).map(SqlValues::ofMicros),
                row.getBoolean(3),
                row.getString("id"),
                row.getString("id") == null ? Optional.empty() : readable.read(row)))
        .list();
  }

  @Override
  public void putOff(Kept seen, Duration delay) {
    database.run(
        "postpone schedule %s".formatted(seen.plan().id()),
        handle ->
            handle
                .createUpdate(putOff)
                .bind("id", seen.plan().id())
                .bind("revision", seen.revision())
                .bind("seen", ScheduleColumns.at(seen.draft().nextFire()))
                .bind("delay", SqlValues.micros(delay))
                .execute());
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
