package dev.holdfast.postgres;

import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.api.trigger.TriggerStatus;
import dev.holdfast.engine.store.TriggerBook;
import dev.holdfast.engine.trigger.TriggerText;
import dev.holdfast.postgres.db.Database;
import java.util.List;
import java.util.Optional;

/** Which events start which tasks. */
final class PgTriggerBook implements TriggerBook {
  // By event_trigger_pkey. Nodes that declare what is there already write nothing.
  private static final String PUT =
      """
      insert into ${schema}.event_trigger as t (id, event, definition)
      values (:id, :event, :definition)
      on conflict (id) do update set event = excluded.event, definition = excluded.definition
        where (t.event, t.definition) is distinct from (excluded.event, excluded.definition)
      """;

  // By event_trigger_pkey.
  private static final String FIND =
      "select definition, paused from ${schema}.event_trigger where id = :id";

  // By event_trigger_pkey.
  private static final String LIST =
      "select definition, paused from ${schema}.event_trigger order by id";

  // By event_trigger_pkey.
  private static final String PAUSE =
      "update ${schema}.event_trigger set paused = :paused where id = :id";

  // By event_trigger_pkey and trigger_subject_pkey. A publish under way may still leave a row about
  // a subject behind, which is forgotten in time.
  private static final String REMOVE =
      """
      with subjects as (
        delete from ${schema}.trigger_subject where trigger_id = :id
      )
      delete from ${schema}.event_trigger where id = :id
      """;

  private final Database database;

  PgTriggerBook(Database database) {
    this.database = database;
  }

  @Override
  public void put(Trigger trigger) {
    database.run(
        "put trigger %s".formatted(trigger.id()),
        handle ->
            handle
                .createUpdate(database.sql(PUT))
                .bind("id", trigger.id())
                .bind("event", trigger.event())
                .bind("definition", TriggerText.write(trigger))
                .execute());
  }

  @Override
  public Optional<TriggerStatus> find(String id) {
    return database.run(
        "read trigger %s".formatted(id),
        handle ->
            handle
                .createQuery(database.sql(FIND))
                .bind("id", id)
                .map((row, context) -> status(row.getString(1), row.getBoolean(2)))
                .findOne());
  }

  @Override
  public List<TriggerStatus> list() {
    return database.run(
        "list the triggers",
        handle ->
            handle
                .createQuery(database.sql(LIST))
                .map((row, context) -> status(row.getString(1), row.getBoolean(2)))
                .list());
  }

  @Override
  public boolean pause(String id, boolean paused) {
    return database.run(
        "%s trigger %s".formatted(paused ? "pause" : "resume", id),
        handle ->
            handle.createUpdate(database.sql(PAUSE)).bind("id", id).bind("paused", paused).execute()
                > 0);
  }

  @Override
  public boolean remove(String id) {
    return database.run(
        "remove trigger %s".formatted(id),
        handle -> handle.createUpdate(database.sql(REMOVE)).bind("id", id).execute() > 0);
  }

  private static TriggerStatus status(String definition, boolean paused) {
    return new TriggerStatus(TriggerText.read(definition), paused);
  }
}
