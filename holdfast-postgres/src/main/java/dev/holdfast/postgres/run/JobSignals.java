package dev.holdfast.postgres.run;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.SignalResult;
import dev.holdfast.engine.store.Journals.Sent;
import dev.holdfast.engine.store.RunIntake.NewSignal;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlValues;
import java.time.Duration;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** Sends signals to jobs. */
final class JobSignals {
  // By job_pkey. A job that is being parked is locked too, before that transaction looks for
  // signals: the second of the two sees what the first has written.
  private static final String LOCK =
      "select true from ${schema}.job where id = :id for no key update";

  // Conflicts on signal_pkey.
  private static final String SEND =
      """
      insert into ${schema}.signal (owner, name, id, payload)
      values (:id, :name, :signal, :payload)
      on conflict do nothing
      """;

  // By job_pkey. A job on hold continues when its run is resumed.
  private static final String WAKE =
      """
      update ${schema}.job j set
        state = case when j.state = 'ON_HOLD' then 'ON_HOLD' else 'READY' end,
        held_from = case when j.state = 'ON_HOLD' then 'READY' end,
        run_at = now(), rank = now() - j.priority * :aging * interval '1 microsecond',
        waits_for = null
      where j.id = :id and j.state in ('WAITING', 'ON_HOLD') and j.waits_for = :name
      returning case when j.state = 'READY' then j.queue end
      """;

  private final long agingMicros;
  private final String lock;
  private final String send;
  private final String wake;

  JobSignals(Database database, Duration aging) {
    this.agingMicros = SqlValues.micros(aging);
    this.lock = database.sql(LOCK);
    this.send = database.sql(SEND);
    this.wake = database.sql(WAKE);
  }

  /** Sends a signal to a live job; empty if there is none. Runs in a transaction. */
  Optional<Sent> send(Handle handle, JobId id, NewSignal signal) {
    boolean live =
        handle.createQuery(lock).bind("id", id.value()).mapTo(Boolean.class).findOne().isPresent();
    if (!live) {
      return Optional.empty();
    }
    boolean fresh =
        handle
                .createUpdate(send)
                .bind("id", id.value())
                .bind("name", signal.name())
                .bind("signal", signal.id())
                .bind("payload", signal.payload())
                .execute()
            > 0;
    if (!fresh) {
      return Optional.of(new Sent(SignalResult.DUPLICATE, null));
    }
    String queue =
        handle
            .createQuery(wake)
            .bind("id", id.value())
            .bind("name", signal.name())
            .bind("aging", agingMicros)
            .map((row, context) -> Optional.ofNullable(row.getString(1)))
            .findOne()
            .flatMap(ready -> ready)
            .orElse(null);
    return Optional.of(new Sent(SignalResult.SENT, queue));
  }
}
