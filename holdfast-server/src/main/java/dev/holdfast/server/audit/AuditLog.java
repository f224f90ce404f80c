package dev.holdfast.server.audit;

import dev.holdfast.server.control.ControlDatabase;
import dev.holdfast.server.control.ControlDatabase.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes and reads the audit log.
 *
 * <p>An act on the control schema and its entry are one transaction. An act on the schema of a
 * tenant cannot be, since it has its own: its entry is written before, as {@code STARTED}, and
 * completed after. So no act is without an entry, and an entry that stays STARTED belongs to an act
 * during which the server died.
 */
public final class AuditLog {
  /** The outcome of an act that was carried out. */
  public static final String DONE = "DONE";

  private static final String REFUSED = "FORBIDDEN";
  private static final String STARTED = "STARTED";
  private static final Logger log = LoggerFactory.getLogger(AuditLog.class);

  private final ControlDatabase database;

  public AuditLog(ControlDatabase database) {
    this.database = database;
  }

  /**
   * An act.
   *
   * @param action what is done, such as {@code queue.pause}
   * @param target what it is done to; null for nothing in particular
   * @param before the state before, as JSON; null for none
   * @param after the state after, as JSON; null for none
   */
  public record Act(
      String action, @Nullable String target, @Nullable String before, @Nullable String after) {

    /** Returns an act that changes nothing that can be shown. */
    public static Act of(String action, @Nullable String target) {
      return new Act(action, target, null, null);
    }
  }

  /** Records an act that the transaction of these statements carries out. */
  public void record(Statements statements, Actor actor, Act act) {
    insert(statements, actor, act, DONE);
  }

  /** Records that an act starts. */
  public long start(Actor actor, Act act) {
    return database.run(
        "record " + act.action(), statements -> insert(statements, actor, act, STARTED));
  }

  /** Records requests that were refused. */
  void refused(Actor actor, String requests) {
    database.run(
        "record refused requests",
        statements ->
            insert(statements, actor, new Act("request.refused", null, null, requests), REFUSED));
  }

  /** Completes the entry of an act. A failure leaves it as started, which is not wrong. */
  public void end(long entry, @Nullable String after, String outcome) {
    try {
      database.run(
          "complete an audit entry",
          statements ->
              // By audit_pkey.
              statements
                  .update(
                      """
                      update ${schema}.audit set outcome = :outcome, after = coalesce(:after, after)
                      where id = :id and outcome = 'STARTED'
                      """)
                  .bind("id", entry)
                  .bind("after", after)
                  .bind("outcome", outcome)
                  .execute());
    } catch (RuntimeException failure) {
      log.warn(
          "Audit entry {} stays STARTED, although its outcome is {}: {}",
          entry,
          outcome,
          failure.getMessage());
    }
  }

  private static long insert(Statements statements, Actor actor, Act act, String outcome) {
    return statements
        .query(
            """
            insert into ${schema}.audit
              (tenant, key, key_name, address, request, action, target, before, after, outcome)
            values (:tenant, :key, :keyName, :address, :request, :action, :target, :before, :after,
              :outcome)
            returning id
            """)
        .bind("tenant", actor.tenant())
        .bind("key", actor.key())
        .bind("keyName", actor.keyName())
        .bind("address", actor.address())
        .bind("request", actor.request())
        .bind("action", act.action())
        .bind("target", act.target())
        .bind("before", act.before())
        .bind("after", act.after())
        .bind("outcome", outcome)
        .mapTo(Long.class)
        .one();
  }

  /** Selects entries; null matches all. */
  public record Filter(
      @Nullable String action,
      @Nullable String key,
      @Nullable String target,
      @Nullable String outcome,
      @Nullable Instant after,
      @Nullable Instant before) {}

  /**
   * Lists entries of a tenant that is not dropped, or of the installation, latest first.
   *
   * @param from the id of the last entry of the previous page
   */
  public List<AuditEntry> list(@Nullable String tenant, Filter filter, long from, int limit) {
    Map<String, Object> values = new LinkedHashMap<>();
    StringBuilder conditions =
        new StringBuilder(tenant == null ? "tenant is null" : "tenant = :tenant");
    // Not those of a tenant that had this name before it was dropped.
    add(
        conditions,
        values,
        """
         and at >= (
          select created_at from ${schema}.tenant where name = :tenant and state <> 'DROPPED')\
        """,
        "tenant",
        tenant);
    add(conditions, values, " and action = :action", "action", filter.action());
    add(conditions, values, " and key = :key", "key", filter.key());
    add(conditions, values, " and target = :target", "target", filter.target());
    add(conditions, values, " and outcome = :outcome", "outcome", filter.outcome());
    add(conditions, values, " and at >= :after::timestamptz", "after", text(filter.after()));
    add(conditions, values, " and at < :before::timestamptz", "before", text(filter.before()));
    // By audit_tenant or audit_action, backwards, and tenant_name.
    return database.run(
        "read the audit log",
        statements ->
            statements
                .query(
                    """
                    select * from ${schema}.audit where %s and id < :from
                    order by id desc limit :limit
                    """
                        .formatted(conditions))
                .bindMap(values)
                .bind("from", from)
                .bind("limit", limit)
                .map((row, context) -> read(row))
                .list());
  }

  /** Adds a condition that is set. The planner uses no index for those that may be null. */
  private static void add(
      StringBuilder conditions,
      Map<String, Object> values,
      String condition,
      String name,
      @Nullable String value) {
    if (value != null) {
      conditions.append(condition);
      values.put(name, value);
    }
  }

  private static @Nullable String text(@Nullable Instant time) {
    return time == null ? null : time.toString();
  }

  /** Deletes entries that are older than the given time. */
  public int purge(Instant before) {
    // By audit_at.
    return database.run(
        "delete old audit entries",
        statements ->
            statements
                .update("delete from ${schema}.audit where at < :before::timestamptz")
                .bind("before", before.toString())
                .execute());
  }

  private static AuditEntry read(ResultSet row) throws SQLException {
    return new AuditEntry(
        row.getLong("id"),
        row.getTimestamp("at").toInstant(),
        row.getString("tenant"),
        row.getString("key"),
        row.getString("key_name"),
        row.getString("address"),
        row.getString("request"),
        row.getString("action"),
        row.getString("target"),
        row.getString("before"),
        row.getString("after"),
        row.getString("outcome"));
  }
}
