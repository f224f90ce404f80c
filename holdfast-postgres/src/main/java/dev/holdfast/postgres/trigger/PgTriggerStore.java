package dev.holdfast.postgres.trigger;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.schedule.PutResult;
import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.api.trigger.TriggerStatus;
import dev.holdfast.engine.store.TriggerSnapshot;
import dev.holdfast.engine.store.TriggerStore;
import dev.holdfast.engine.trigger.TriggerText;
import dev.holdfast.postgres.db.Database;
import java.util.List;
import java.util.Optional;

/** Stores triggers: which events start which tasks. */
public final class PgTriggerStore implements TriggerStore {
  // By event_trigger_pkey. Declaring a trigger that is already stored writes and returns nothing. A
  // row that was inserted has no xmax.
  private static final String PUT =
      """
      insert into ${schema}.event_trigger as t (id, event, definition)
      values (:id, :event, :definition)
      on conflict (id) do update set event = excluded.event, definition = excluded.definition
        where (t.event, t.definition) is distinct from (excluded.event, excluded.definition)
      returning xmax = 0
      """;

  // By event_trigger_pkey.
  private static final String FIND =
      "select definition, paused from ${schema}.event_trigger where id = :id";

  // By event_trigger_pkey.
  private static final String LIST =
      "select id, definition, paused from ${schema}.event_trigger order by id";

  // By event_trigger_pkey.
  private static final String PAUSE =
      "update ${schema}.event_trigger set paused = :paused where id = :id";

  // By event_trigger_pkey.
  private static final String DELETE = "delete from ${schema}.event_trigger where id = :id";

  // By trigger_subject_pkey. Starts where the previous batch ended; otherwise each batch would scan
  // the dead entries of all previous ones. A publish in progress may still lock a subject, or leave
  // one behind; upkeep deletes it later.
  private static final String DELETE_SUBJECTS =
      """
      with batch as materialized (
        select subject from ${schema}.trigger_subject
        where trigger_id = :id and subject >= :from
        order by subject limit :batch for update skip locked
      ), gone as (
        delete from ${schema}.trigger_subject s using batch b
        where s.trigger_id = :id and s.subject = b.subject
      )
      select max(subject) from batch
      """;

  private static final int BATCH = 10_000;

  private final Database database;
  private final ReadableTriggers readable = new ReadableTriggers();

  public PgTriggerStore(Database database) {
    this.database = database;
  }

  @Override
  public PutResult put(Trigger trigger) {
    return database.run(
        "put trigger %s".formatted(trigger.id()),
        handle ->
            handle
                .createQuery(database.sql(PUT))
                .bind("id", trigger.id())
                .bind("event", trigger.event())
                .bind("definition", TriggerText.write(trigger))
                .map((row, context) -> row.getBoolean(1) ? PutResult.CREATED : PutResult.CHANGED)
                .findOne()
                .orElse(PutResult.UNCHANGED));
  }

  @Override
  public Optional<TriggerStatus> find(String id) {
    return database.run(
        "read trigger %s".formatted(id),
        handle ->
            handle
                .createQuery(database.sql(FIND))
                .bind("id", id)
                .map((row, context) -> status(id, row.getString(1), row.getBoolean(2)))
                .findOne());
  }

  @Override
  public List<TriggerStatus> list() {
    return database.run(
        "list the triggers",
        handle ->
            handle
                .createQuery(database.sql(LIST))
                .map((row, context) -> {
                  boolean paused = row.getBoolean(3);
                  return readable
                      .read(row.getString(1), row.getString(2))
                      .<TriggerStatus>map(trigger -> new TriggerSnapshot(trigger, paused));
                })
                .list()
                .stream()
                .flatMap(Optional::stream)
                .toList());
  }

  @Override
  public boolean pause(String id, boolean paused) {
    return database.run(
        "%s trigger %s".formatted(paused ? "pause" : "resume", id),
        handle ->
            handle.createUpdate(database.sql(PAUSE)).bind("id", id).bind("paused", paused).execute()
                > 0);
  }

  /**
   * Deletes the trigger first, so that it starts nothing more, and then its subjects, of which
   * there may be millions: each batch is a short transaction.
   */
  @Override
  public boolean delete(String id) {
    boolean deleted =
        database.run(
            "delete trigger %s".formatted(id),
            handle -> handle.createUpdate(database.sql(DELETE)).bind("id", id).execute() > 0);
    Optional<String> from = Optional.of("");
    while (from.isPresent()) {
      from = deleteSubjects(id, from.get());
    }
    return deleted;
  }

  /** Deletes a batch and returns where it ended; empty if there was nothing to delete. */
  private Optional<String> deleteSubjects(String id, String from) {
    return database.run(
        "delete the subjects of trigger %s".formatted(id),
        handle ->
            Optional.ofNullable(
                handle
                    .createQuery(database.sql(DELETE_SUBJECTS))
                    .bind("id", id)
                    .bind("from", from)
                    .bind("batch", BATCH)
                    .map((row, context) -> row.getString(1))
                    .one()));
  }

  /** Returns a trigger that was requested by id. */
  private static TriggerStatus status(String id, String definition, boolean paused) {
    try {
      return new TriggerSnapshot(TriggerText.read(definition), paused);
    } catch (RuntimeException unreadable) {
      throw new StoreException(
          StoreException.Outcome.REFUSED,
          "Trigger '%s' cannot be read by this version: %s Update this program, or put or remove the trigger."
              .formatted(id, unreadable.getMessage()),
          unreadable);
    }
  }
}
