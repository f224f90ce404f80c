package dev.holdfast.postgres.notify;

import dev.holdfast.api.job.When;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.store.Admission;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.postgres.db.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Wakeups sent from inside transactions of callers, at most fifty a second about the same thing: a
 * NOTIFY takes a lock of the whole database until its transaction has committed.
 *
 * <p>A transaction whose wakeup is left out relies on that of another, which may have committed
 * before it, or never does. So the process itself reminds everybody a little later.
 */
public final class TransactionNotifier implements TransactionNotice {
  private final Database database;
  private final Channel channel;
  private final NotifyRateLimiter pace;
  private final Reminders reminders;

  public TransactionNotifier(Database database, Channel channel, Reminders reminders) {
    this.database = database;
    this.channel = channel;
    this.pace = new NotifyRateLimiter(System::nanoTime);
    this.reminders = reminders;
  }

  @Override
  public void post(Connection connection, List<NewJob> jobs, List<Admission> admissions)
      throws SQLException {
    SignalBatch signals = new SignalBatch();
    for (int i = 0; i < jobs.size(); i++) {
      if (admissions.get(i).outcome() != Admission.Outcome.EXISTING) {
        signals.add(signal(jobs.get(i)));
      }
    }
    signals.removeIf(this::isPutOff);
    if (signals.isEmpty()) {
      return;
    }
    List<Signal> posted = new ArrayList<>();
    signals.forEach(posted::add);
    if (!send(connection, signals)) {
      posted.forEach(reminders::want);
    }
  }

  /** Returns false if the server's queue of notifications has too little room. */
  private boolean send(Connection connection, SignalBatch signals) throws SQLException {
    try (PreparedStatement statement = database.prepare(connection, Channel.NOTIFY)) {
      statement.setString(1, channel.name());
      // Of no sender: this process must hear of it too, since only the commit makes it true.
      statement.setArray(
          2, connection.createArrayOf("text", signals.drain(Channel.NOBODY).toArray()));
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next();
      }
    }
  }

  private boolean isPutOff(Signal signal) {
    boolean putOff = !pace.admits(signal);
    if (putOff) {
      reminders.want(signal);
    }
    return putOff;
  }

  private static Signal signal(NewJob job) {
    return switch (job.when()) {
      case When.Now() -> new Signal.NewWork(job.queue(), job.priority(), 1);
      case When.After(Duration delay) ->
          delay.isZero()
              ? new Signal.NewWork(job.queue(), job.priority(), 1)
              : new Signal.Scheduled(delay);
      // Whether that is soon only the database's clock knows; a stager looks for itself.
      case When.At at -> new Signal.Scheduled(Duration.ZERO);
    };
  }
}
