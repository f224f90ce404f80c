package dev.holdfast.engine.store;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.SignalResult;
import java.sql.Connection;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Stores the durable steps of jobs, and the signals that jobs await.
 *
 * <p>A journal is kept until its job has ended, and with a job in the dead-letter queue, so that a
 * retry continues where the job failed. {@link Finish.Parked} writes entries, too.
 */
public interface Journals {

  /** What an entry records. */
  enum EntryKind {
    /** A step was executed; the entry contains its result. */
    RUN,
    /** A step was executed in a transaction; the entry contains its result. */
    TRANSACTION,
    /**
     * The job was parked for a time. An attempt that finds this entry continues after the sleep.
     */
    SLEEP,
    /** The job was parked until a signal arrives or a timeout has passed, and neither was seen. */
    AWAITING,
    /** A signal was received; the entry contains its payload. */
    RECEIVED,
    /** No signal was received in time. */
    TIMED_OUT,
    /** The job executes changed code. */
    PATCH
  }

  /**
   * The key of an entry.
   *
   * @param name the name of the step
   * @param occurrence the number of the step among those of this name, from 1; 0 for a {@link
   *     EntryKind#PATCH}
   */
  record EntryKey(String name, int occurrence) {}

  /**
   * An entry.
   *
   * @param output the encoded result or payload; null for none
   */
  record JournalEntry(EntryKey key, EntryKind kind, @Nullable String output) {}

  /** Returns the journal of a job, in the order in which entries were first written. */
  List<JournalEntry> load(JobId job);

  /**
   * Writes an entry if the claim is valid and its job is RUNNING. An entry with the same key is
   * replaced: only the holder writes, so it is the same entry, whose reply was lost, or {@link
   * EntryKind#AWAITING}.
   *
   * @return false if the claim was lost; nothing was changed
   */
  boolean append(UUID incarnation, ClaimId claim, JournalEntry entry);

  /** The result of {@link #take}. */
  sealed interface Taken {
    /**
     * A signal was received.
     *
     * @param payload its payload; null for none
     */
    record Received(@Nullable String payload) implements Taken {}

    /** There is no signal of this name that was not received before. */
    record Nothing() implements Taken {}

    /** The claim was lost; nothing was changed. */
    record Lost() implements Taken {}
  }

  /**
   * Takes the oldest signal that no earlier call has taken, and writes a {@link EntryKind#RECEIVED}
   * entry, if the claim is valid and its job is RUNNING. Can be repeated after a lost reply: if the
   * key has such an entry, no further signal is taken.
   *
   * @param key the key of the entry; its name is the name of the signal
   */
  Taken take(UUID incarnation, ClaimId claim, EntryKey key);

  /** The part of a step that runs in a transaction. */
  @FunctionalInterface
  interface Body {
    /** Executes the step and returns its encoded result. */
    @Nullable String run(Connection transaction) throws Exception;
  }

  /**
   * Executes a step and writes its {@link EntryKind#TRANSACTION} entry, both in one transaction
   * that locks the job, if the claim is valid and the job is RUNNING.
   *
   * @return false if the claim was lost; the body was not executed then
   * @throws UnsupportedOperationException if this store does not support transactions
   * @throws Exception what the body throws; the transaction was rolled back
   */
  default boolean transaction(UUID incarnation, ClaimId claim, EntryKey key, Body body)
      throws Exception {
    throw new UnsupportedOperationException(
        "This store cannot execute a step in a database transaction: use run(), or a node on the"
            + " PostgreSQL store.");
  }

  /**
   * The result of sending a signal.
   *
   * @param queue the queue of the job, if the job became READY because it awaited this signal;
   *     otherwise null
   */
  record Sent(SignalResult result, @Nullable String queue) {}

  /**
   * Sends a signal to a job that has not ended, unless one with this name and id was sent before. A
   * WAITING job that awaits it becomes READY.
   */
  Sent signal(JobId job, RunIntake.NewSignal signal);
}
