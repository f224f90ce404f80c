package dev.holdfast.worker;

import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Journals;
import dev.holdfast.engine.store.RunIntake;
import java.util.List;
import java.util.UUID;

/**
 * The journals of jobs, which a worker does not have: every journal is empty, and a durable step
 * fails before its body is executed.
 *
 * <p>Reading must be possible. A node reads the journal of every job that was claimed before, also
 * of one whose handler has no durable steps.
 */
final class NoJournals implements Journals {
  @Override
  public List<JournalEntry> load(JobId job) {
    return List.of();
  }

  @Override
  public boolean append(UUID incarnation, ClaimId claim, JournalEntry entry) {
    throw refused(claim);
  }

  @Override
  public Taken take(UUID incarnation, ClaimId claim, EntryKey key) {
    throw refused(claim);
  }

  @Override
  public boolean transaction(UUID incarnation, ClaimId claim, EntryKey key, Body body) {
    throw refused(claim);
  }

  @Override
  public Sent signal(JobId job, RunIntake.NewSignal signal) {
    throw new UnsupportedOperationException(
        "A remote worker cannot send a signal to job %s: use the API of the server."
            .formatted(job));
  }

  private static UnsupportedOperationException refused(ClaimId claim) {
    return new UnsupportedOperationException(
        "A remote worker has no durable steps, so job %s cannot execute one: run its task on a node with a database."
            .formatted(claim.id()));
  }
}
