package dev.holdfast.postgres.schema;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import dev.holdfast.postgres.db.Database;
import java.util.List;
import org.jdbi.v3.core.Handle;

/**
 * Checks the privileges of the connected role before anything is written, so that an error can name
 * what to grant.
 *
 * <p>There are two ways to run: as the owner of the schema, which migrates it and creates the
 * partitions of history, or as a role that only reads and writes rows, in a schema that another
 * role migrates.
 */
final class Privileges {
  /** The SQLSTATE of a missing privilege. */
  static final String FORBIDDEN = "42501";

  private static final String REMEDY = "For the required privileges, see docs/database.md.";

  private static final String LACKING =
      """
      select t.name from unnest(array[
        'job', 'job_history', 'job_history_default', 'dead_letter', 'node', 'queue',
        'unique_ledger', 'tally', 'lease', 'event_trigger', 'trigger_subject', 'schedule',
        'task_rule', 'heartbeat', 'enqueue_repeat', 'sample',
        'schedule_declaration', 'workflow_definition', 'run', 'run_history', 'run_mark',
        'run_result', 'run_event', 'run_map', 'run_timer', 'signal', 'run_gate',
        'journal', 'run_payload', 'token_epoch']) t (name)
      where to_regclass('${schema}.' || t.name) is not null and exists (
        select from unnest(array['select', 'insert', 'update', 'delete']) p (name)
        where not has_table_privilege('${schema}.' || t.name, p.name))
      union all
      select s.name from unnest(array[
        'lease_token', 'schedule_number', 'cap_number', 'workflow_definition_id_seq',
        'signal_arrived_seq', 'journal_number_seq']) s (name)
      where to_regclass('${schema}.' || s.name) is not null
        and not has_sequence_privilege('${schema}.' || s.name, 'usage')
      """;

  private static final String MAY_SEE =
      """
      select exists (
        select from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = '${schema}' and c.relname = :table
          and has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select'))
      """;

  private static final String MAY_CREATE =
      """
      select coalesce(
        (select has_schema_privilege(oid, 'create') from pg_namespace where nspname = '${schema}'),
        has_database_privilege(current_database(), 'create'))
      """;

  private static final String IDENTITY =
      """
      select current_user, current_database(),
        exists (select from pg_namespace where nspname = '${schema}')
      """;

  private final Database database;
  private final String place;

  Privileges(Database database, String place) {
    this.database = database;
    this.place = place;
  }

  /** The connected role and its database. */
  private record Identity(String role, String database, boolean hasSchema) {}

  /** Rejects a role that cannot migrate, if a migration is needed. */
  void requireCreate() {
    boolean may =
        database.run(
            "check the privileges in schema %s".formatted(database.schema()),
            handle -> handle.createQuery(database.sql(MAY_CREATE)).mapTo(Boolean.class).one());
    if (!may) {
      Identity me = identity();
      throw forbidden(
          me.hasSchema()
              ? "Role %s may not create or change tables in schema %s"
                  .formatted(me.role(), schema())
              : "Role %s may not create schema %s".formatted(me.role(), schema()));
    }
  }

  /** Rejects a role that cannot read and write the tables. */
  void requireUse() {
    boolean mayUse = check(this::mayUse);
    List<String> lacking = mayUse ? check(this::lacking) : List.of();
    if (!mayUse || !lacking.isEmpty()) {
      throw forbidden(
          "Role %s may not read and write %s"
              .formatted(
                  identity().role(), mayUse ? String.join(", ", lacking) : "schema " + schema()));
    }
  }

  private <T> T check(Database.Work<T> work) {
    return database.run("check the privileges in schema %s".formatted(schema()), work);
  }

  private boolean mayUse(Handle handle) {
    return handle
        .createQuery("select has_schema_privilege(:schema, 'usage')")
        .bind("schema", schema())
        .mapTo(Boolean.class)
        .one();
  }

  /** Returns the tables and sequences that the role may not use, of those that exist. */
  List<String> lacking(Handle handle) {
    return handle.createQuery(database.sql(LACKING)).mapTo(String.class).list();
  }

  /** Returns whether a table exists and the role may read it. */
  boolean maySee(Handle handle, String table) {
    return handle
        .createQuery(database.sql(MAY_SEE))
        .bind("table", table)
        .mapTo(Boolean.class)
        .one();
  }

  /** Returns what to grant. */
  String remedy() {
    Identity me = identity();
    String migrate =
        me.hasSchema()
            ? "To migrate, connect as the owner of schema %s".formatted(schema())
            : "To migrate, run: grant create on database \"%s\" to \"%s\""
                .formatted(me.database(), me.role());
    return """
    %s; or let another role migrate, by connecting once, and then run as that role: \
    grant usage on schema %s to "%s"; \
    grant select, insert, update, delete on all tables in schema %s to "%s"; \
    grant usage on all sequences in schema %s to "%s". %s\
    """
        .formatted(migrate, schema(), me.role(), schema(), me.role(), schema(), me.role(), REMEDY);
  }

  private StoreException forbidden(String what) {
    return new StoreException(
        Outcome.REFUSED,
        "%s of %s. %s Nothing was written.".formatted(what, place, remedy()),
        null);
  }

  private Identity identity() {
    return database.run(
        "read the name of the role",
        handle ->
            handle
                .createQuery(database.sql(IDENTITY))
                .map((row, context) ->
                    new Identity(row.getString(1), row.getString(2), row.getBoolean(3)))
                .one());
  }

  private String schema() {
    return database.schema();
  }
}
