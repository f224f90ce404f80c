package dev.holdfast.postgres.notify;

import dev.holdfast.api.job.Enqueued;
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
 * Sends wakeups inside external transactions, at most fifty a second about the same topic: a NOTIFY
 * takes a lock of the whole database until its transaction has committed.
 *
 * <p>A transaction whose wakeup is left out relies on the wakeup of another transaction, which may
 * have committed before it or never commits. So this process repeats the notification a little
 * later.
 */
public final class TransactionNotifier implements TransactionNotice {
  private final Database database;
  private final Channel channel;
  private final NotifyRateLimiter pace;
  private final RepeatedNotifier repeatedNotifier;

  public TransactionNotifier(
      Database database, Channel channel, RepeatedNotifier repeatedNotifier) {
    this.database = database;
    this.channel = channel;
    this.pace = new NotifyRateLimiter(System::nanoTime);
    this.repeatedNotifier = repeatedNotifier;
  }

  @Override
  public void post(Connection connection, List<NewJob> jobs, List<Admission> admissions)
      throws SQLException {
    SignalBatch signals = new SignalBatch();
    for (int i = 0; i < jobs.size(); i++) {
      if (admissions.get(i).outcome() != Enqueued.Outcome.EXISTING) {
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
      posted.forEach(repeatedNotifier::want);
    }
  }

  /** Sends the signals. Returns false if the notification queue of the server is too full. */
  private boolean send(Connection connection, SignalBatch signals) throws SQLException {
    try (PreparedStatement statement = database.prepare(connection, Channel.NOTIFY)) {
      statement.setString(1, channel.name());
      // Without a sender: this process must receive it too, because only the commit makes it valid.
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
      repeatedNotifier.want(signal);
    }
    return putOff;
  }

  private static Signal signal(NewJob job) {
    return switch (job.when()) {
      case When.Now() -> new Signal.NewWork(job.content().queue(), job.content().priority(), 1);
      case When.After(Duration delay) ->
          delay.isZero()
              ? new Signal.NewWork(job.content().queue(), job.content().priority(), 1)
              : new Signal.Scheduled(delay);
      // Only the clock of the database knows whether that is soon; the stager looks up the actual
      // time.
      case When.At at -> new Signal.Scheduled(Duration.ZERO);
    };
  }
}
