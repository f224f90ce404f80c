package dev.holdfast.postgres.workflow;

import dev.holdfast.postgres.db.Database;
import java.util.UUID;

/** The statement families that several operations on runs share. */
record RunParts(StepJobs jobs, RunTree tree, RunNotes notes, RunEndings endings, RunStates states) {

  /**
   * @param shard the rows of the tally that only this process writes
   */
  static RunParts of(Database database, UUID shard) {
    StepJobs jobs = new StepJobs(database, shard);
    RunNotes notes = new RunNotes(database);
    RunEndings endings = new RunEndings(database);
    return new RunParts(
        jobs, new RunTree(database), notes, endings, new RunStates(database, jobs, notes, endings));
  }
}
