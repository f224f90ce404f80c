package dev.holdfast.engine.held;

import dev.holdfast.api.job.JobLogLine;
import dev.holdfast.api.job.JobProgress;
import dev.holdfast.engine.codec.JobNotes;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The progress and log of a job that this node runs, and whether the store has the latest. */
public final class AttemptNotes {
  private final @Nullable String stored;
  private @Nullable JobProgress progress;
  private @Nullable Deque<JobLogLine> log;
  private boolean unsaved;
  private boolean ended;

  AttemptNotes(@Nullable String stored) {
    this.stored = stored;
  }

  /** Returns the latest progress of this or an earlier attempt. */
  public synchronized Optional<JobProgress> progress() {
    load();
    return Optional.ofNullable(progress);
  }

  public synchronized void report(JobProgress latest) {
    load();
    progress = latest;
    unsaved = true;
  }

  /** Adds a line, and drops the oldest ones beyond this number. */
  public synchronized void add(JobLogLine line, int most) {
    Deque<JobLogLine> lines = load();
    lines.addLast(line);
    while (lines.size() > most) {
      lines.removeFirst();
    }
    unsaved = true;
  }

  /** Most jobs have no notes, so what is stored is read only when it is needed. */
  private Deque<JobLogLine> load() {
    if (log == null) {
      JobNotes earlier = JobNotes.read(stored);
      progress = earlier.progress();
      log = new ArrayDeque<>(earlier.log());
    }
    return log;
  }

  /**
   * Returns what the store does not have yet, and notes that it is being saved; empty after {@link
   * #end}, from when on only {@link #takeLast} returns it.
   */
  public synchronized Optional<String> takeUnsaved() {
    return ended ? Optional.empty() : take();
  }

  /**
   * Notes that the attempt has ended.
   *
   * @return whether it reported anything, which may still be on its way to the store
   */
  public synchronized boolean end() {
    ended = true;
    return log != null;
  }

  /** Returns what the store does not have yet of an attempt that has ended. */
  public synchronized Optional<String> takeLast() {
    return take();
  }

  private Optional<String> take() {
    if (!unsaved) {
      return Optional.empty();
    }
    unsaved = false;
    return Optional.of(new JobNotes(progress, List.copyOf(load())).write());
  }

  /** Notes that the latest could not be saved, so that it is tried again. */
  public synchronized void notSaved() {
    unsaved = true;
  }
}
