package dev.holdfast.testkit.memory;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.SignalResult;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Journals;
import dev.holdfast.engine.store.RunIntake.NewSignal;
import dev.holdfast.testkit.memory.JobRow.SentSignal;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Stores durable steps and signals, in the rows of their jobs. */
final class MemoryJournals implements Journals {
  private final Tables tables;

  MemoryJournals(Tables tables) {
    this.tables = tables;
  }

  @Override
  public List<JournalEntry> load(JobId job) {
    return tables.transaction(now -> {
      JobRow row = tables.find(job);
      return row == null ? List.of() : List.copyOf(row.journal.values());
    });
  }

  @Override
  public boolean append(UUID incarnation, ClaimId claim, JournalEntry entry) {
    StorableText.require(claim.id(), entry);
    return tables.transaction(now -> {
      JobRow row = running(incarnation, claim);
      if (row != null) {
        row.journal.put(entry.key(), entry);
      }
      return row != null;
    });
  }

  private @Nullable JobRow running(UUID incarnation, ClaimId claim) {
    JobRow row = tables.heldBy(incarnation, claim);
    return row != null && row.state == JobState.RUNNING ? row : null;
  }

  @Override
  public Taken take(UUID incarnation, ClaimId claim, EntryKey key) {
    return tables.transaction(now -> {
      JobRow row = running(incarnation, claim);
      return row == null ? new Taken.Lost() : take(row, key);
    });
  }

  private static Taken take(JobRow row, EntryKey key) {
    JournalEntry known = row.journal.get(key);
    if (known != null && known.kind() == EntryKind.RECEIVED) {
      return new Taken.Received(known.output());
    }
    for (int i = 0; i < row.signals.size(); i++) {
      SentSignal sent = row.signals.get(i);
      if (!sent.taken() && sent.signal().name().equals(key.name())) {
        row.signals.set(i, new SentSignal(sent.signal(), true));
        String payload = sent.signal().payload();
        row.journal.put(key, new JournalEntry(key, EntryKind.RECEIVED, payload));
        return new Taken.Received(payload);
      }
    }
    return new Taken.Nothing();
  }

  @Override
  public Sent signal(JobId job, NewSignal signal) {
    StorableText.require(job, signal);
    return tables.transaction(now -> {
      JobRow row = tables.find(job);
      if (row == null) {
        return new Sent(SignalResult.NOT_FOUND, null);
      }
      if (row.state.hasEnded()) {
        return new Sent(SignalResult.ENDED, null);
      }
      return send(row, signal, now);
    });
  }

  private Sent send(JobRow row, NewSignal signal, Instant now) {
    boolean known =
        row.signals.stream()
            .map(SentSignal::signal)
            .anyMatch(sent -> sent.name().equals(signal.name()) && sent.id().equals(signal.id()));
    if (known) {
      return new Sent(SignalResult.DUPLICATE, null);
    }
    row.signals.add(new SentSignal(signal, false));
    if (!signal.name().equals(row.waitsFor)) {
      return new Sent(SignalResult.SENT, null);
    }
    tables.wake(row, now);
    return new Sent(SignalResult.SENT, row.state == JobState.READY ? row.queue : null);
  }
}
