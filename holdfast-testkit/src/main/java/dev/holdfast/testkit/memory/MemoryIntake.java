package dev.holdfast.testkit.memory;

import dev.holdfast.api.DuplicateJobException;
import dev.holdfast.api.job.Enqueued.Outcome;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.job.UniqueKey.OnConflict;
import dev.holdfast.engine.store.Admission;
import dev.holdfast.engine.store.Intake;
import dev.holdfast.engine.store.NewJob;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Enqueues jobs. A batch is checked completely before any job is written, because there is no
 * rollback.
 */
final class MemoryIntake implements Intake {
  private final Tables tables;

  MemoryIntake(Tables tables) {
    this.tables = tables;
  }

  @Override
  public List<Admission> enqueue(List<NewJob> jobs) {
    jobs.forEach(StorableText::require);
    return tables.transaction(now -> {
      List<Admission> admissions = new Judge(now).judgeAll(jobs);
      jobs.stream().filter(NewJob::isRepeat).forEach(job -> tables.repeats.put(job.id(), now));
      for (int i = 0; i < jobs.size(); i++) {
        write(jobs.get(i), admissions.get(i), now);
      }
      return admissions;
    });
  }

  @Override
  public boolean isDeclared(String queue) {
    return tables.isDeclared(queue);
  }

  private void write(NewJob job, Admission admission, Instant now) {
    switch (admission.outcome()) {
      case CREATED -> tables.insert(new JobRow(job, tables.nextSequence(), now), now);
      case REPLACED -> replace(admission.id(), job, now);
      case EXISTING -> {}
    }
  }

  private void replace(JobId id, NewJob job, Instant now) {
    JobRow row = tables.live.get(id);
    if (row == null) {
      throw new IllegalStateException(
          "Job %s was found replaceable, but does not exist any more.".formatted(id));
    }
    row.carry(job, now);
    tables.queue(row, now);
  }

  /** Decides about each job of a batch, taking the earlier jobs of the batch into account. */
  private final class Judge {
    private final Instant now;
    private final Set<JobId> newIds = new HashSet<>();
    private final Map<Keys.Key, JobId> newKeys = new HashMap<>();

    Judge(Instant now) {
      this.now = now;
    }

    List<Admission> judgeAll(List<NewJob> jobs) {
      List<Admission> admissions = new ArrayList<>(jobs.size());
      for (NewJob job : jobs) {
        admissions.add(judge(job));
      }
      return List.copyOf(admissions);
    }

    private Admission judge(NewJob job) {
      // The id is checked before the key: a repeat must find its own job, not a conflict with it.
      if (newIds.contains(job.id()) || isKnown(job)) {
        return new Admission(job.id(), Outcome.EXISTING);
      }
      UniqueKey key = job.unique();
      JobId holder = key == null ? null : holder(Keys.Key.of(job.content().task(), key));
      if (key != null && holder != null) {
        return conflict(key, holder);
      }
      newIds.add(job.id());
      if (key != null) {
        newKeys.put(Keys.Key.of(job.content().task(), key), job.id());
      }
      return new Admission(job.id(), Outcome.CREATED);
    }

    /** Generated ids are not searched among ended jobs, as in PostgreSQL. */
    private boolean isKnown(NewJob job) {
      return job.mayExist()
          ? tables.find(job.id()) != null
          : tables.live.containsKey(job.id()) || tables.repeats.containsKey(job.id());
    }

    private @Nullable JobId holder(Keys.Key key) {
      JobId fromThisBatch = newKeys.get(key);
      return fromThisBatch != null ? fromThisBatch : tables.keys.holder(key, now);
    }

    private Admission conflict(UniqueKey key, JobId holder) {
      if (key.onConflict() == OnConflict.FAIL) {
        throw new DuplicateJobException(key.value(), holder);
      }
      boolean replace = key.onConflict() == OnConflict.REPLACE && isReplaceable(holder);
      return new Admission(holder, replace ? Outcome.REPLACED : Outcome.EXISTING);
    }

    private boolean isReplaceable(JobId holder) {
      JobRow row = tables.live.get(holder);
      return row == null ? newIds.contains(holder) : row.hasNotStarted();
    }
  }
}
