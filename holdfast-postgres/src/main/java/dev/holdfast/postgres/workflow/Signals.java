package dev.holdfast.postgres.workflow;

import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.store.RunIntake.NewSignal;
import dev.holdfast.postgres.db.Database;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** Sends signals to open runs, inside a transaction. */
final class Signals {
  // By run_pkey. The lock of an advance: the signal is an event, and gets the next number. A weaker
  // lock that is raised later would deadlock with an advance that ends the run.
  private static final String LOCK =
      "select state from ${schema}.run where id = :id for no key update";

  // Conflicts on signal_pkey.
  private static final String INSERT =
      """
      insert into ${schema}.signal (owner, name, id, payload)
      values (:run, :name, :id, :payload)
      on conflict do nothing
      """;

  /** What became of a signal. */
  enum Sending {
    SENT,
    /** One with this name and id was sent before. */
    DUPLICATE,
    /** The run has ended, or does not exist. */
    NOT_OPEN
  }

  private final RunNotes notes;
  private final String lock;
  private final String insert;

  Signals(Database database) {
    this.notes = new RunNotes(database);
    this.lock = database.sql(LOCK);
    this.insert = database.sql(INSERT);
  }

  /** Sends a signal to a run, if it is open. */
  Sending send(Handle handle, RunId run, NewSignal signal) {
    if (handle.createQuery(lock).bind("id", run.value()).mapTo(String.class).findOne().isEmpty()) {
      return Sending.NOT_OPEN;
    }
    int inserted =
        handle
            .createUpdate(insert)
            .bind("run", run.value())
            .bind("name", signal.name())
            .bind("id", signal.id())
            .bind("payload", signal.payload())
            .execute();
    if (inserted == 0) {
      return Sending.DUPLICATE;
    }
    notes.event(handle, List.of(run), RunEvent.Kind.SIGNALLED, signal.name());
    notes.look(handle, List.of(run));
    return Sending.SENT;
  }
}
