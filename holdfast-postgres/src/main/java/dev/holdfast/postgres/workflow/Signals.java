package dev.holdfast.postgres.workflow;

import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.store.RunIntake.NewSignal;
import dev.holdfast.postgres.db.Database;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** Sends signals to open runs, inside a transaction. */
final class Signals {
  // By run_pkey. The run cannot end before the transaction does.
  private static final String LOCK = "select state from ${schema}.run where id = :id for key share";

  // Conflicts on signal_pkey.
  private static final String INSERT =
      """
      insert into ${schema}.signal (owner, name, id, payload)
      values (:run, :name, :id, :payload)
      on conflict do nothing
      """;

  private final RunNotes notes;
  private final String lock;
  private final String insert;

  Signals(Database database, RunNotes notes) {
    this.notes = notes;
    this.lock = database.sql(LOCK);
    this.insert = database.sql(INSERT);
  }

  /** Sends a signal, and returns false if the run is not open or the signal was sent before. */
  boolean send(Handle handle, RunId run, NewSignal signal) {
    if (handle.createQuery(lock).bind("id", run.value()).mapTo(String.class).findOne().isEmpty()) {
      return false;
    }
    int inserted =
        handle
            .createUpdate(insert)
            .bind("run", run.value())
            .bind("name", signal.name())
            .bind("id", signal.id())
            .bind("payload", signal.payload())
            .execute();
    if (inserted > 0) {
      notes.look(handle, List.of(run));
    }
    return inserted > 0;
  }
}
