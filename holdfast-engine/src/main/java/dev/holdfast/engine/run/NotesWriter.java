package dev.holdfast.engine.run;

import dev.holdfast.api.StoreException;
import dev.holdfast.engine.held.CurrentIncarnation;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.held.HeldJobs;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Outcomes;
import dev.holdfast.engine.store.Outcomes.Note;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the progress and log lines that handlers report: those of all running jobs together, at
 * most once a second. It never runs while no handler reports any.
 */
public final class NotesWriter implements Role {
  private static final Logger log = LoggerFactory.getLogger(NotesWriter.class);
  static final Duration PAUSE = Duration.ofSeconds(1);

  private final Outcomes outcomes;
  private final CurrentIncarnation identity;
  private final HeldJobs heldJobs;
  private final Waker waker;
  private volatile boolean waiting;
  private @Nullable Moment nextWrite;

  /** The write in progress; open until it has ended. */
  private volatile CountDownLatch writing = new CountDownLatch(0);

  public NotesWriter(
      Outcomes outcomes, CurrentIncarnation identity, HeldJobs heldJobs, Waker waker) {
    this.outcomes = outcomes;
    this.identity = identity;
    this.heldJobs = heldJobs;
    this.waker = waker;
  }

  @Override
  public boolean sharesThread() {
    return true;
  }

  @Override
  public String name() {
    return "notes";
  }

  /** Notes that a handler has reported something. Cheap: it is called for each report. */
  void changed() {
    if (!waiting) {
      waiting = true;
      waker.wake();
    }
  }

  @Override
  public Moment tick(Moment now) {
    if (!waiting) {
      return Moment.NEVER;
    }
    if (nextWrite != null && now.isBefore(nextWrite)) {
      return nextWrite;
    }
    waiting = false; // Before the notes are collected: a later report wakes this role again.
    nextWrite = now.plus(PAUSE);
    CountDownLatch write = new CountDownLatch(1);
    writing = write; // Before the notes are taken: an attempt that ends meanwhile waits for it.
    try {
      saveAll();
    } finally {
      write.countDown();
    }
    return waiting ? nextWrite : Moment.NEVER;
  }

  private void saveAll() {
    Map<HeldJob, Note> notes = new LinkedHashMap<>();
    for (HeldJob heldJob : heldJobs.all()) {
      heldJob
          .notes()
          .takeUnsaved()
          .ifPresent(text -> notes.put(heldJob, new Note(heldJob.claim(), text)));
    }
    if (!notes.isEmpty()) {
      save(notes);
    }
  }

  private void save(Map<HeldJob, Note> notes) {
    Set<ClaimId> saved = Set.of();
    try {
      saved = outcomes.note(identity.incarnation(), new ArrayList<>(notes.values()));
    } catch (StoreException failure) {
      log.debug("Progress could not be stored; it is tried again", failure);
    }
    for (HeldJob heldJob : notes.keySet()) {
      if (!saved.contains(heldJob.claim())) {
        heldJob.notes().notSaved();
        if (!heldJob.hasEnded()) {
          waiting = true;
        }
      }
    }
  }

  /**
   * Stores the last report of an attempt that has ended, before its outcome is written. It waits
   * for a write in progress: that one may contain an older report of the same job, which must not
   * be stored last, and its lock would make the store skip the job. A failure costs the report,
   * never the outcome.
   */
  void saveLast(HeldJob heldJob) {
    if (!heldJob.notes().end()) {
      return;
    }
    awaitQuietly(writing);
    try {
      heldJob
          .notes()
          .takeLast()
          .ifPresent(text ->
              outcomes.note(identity.incarnation(), List.of(new Note(heldJob.claim(), text))));
    } catch (RuntimeException | Error failure) {
      log.warn(
          "The last progress of job {} could not be stored, the previous one is shown: {}",
          heldJob.job().id(),
          failure.toString());
    }
  }

  /** Waits even if the attempt was interrupted: a write takes as long as one statement at most. */
  private static void awaitQuietly(CountDownLatch write) {
    boolean interrupted = false;
    while (true) {
      try {
        write.await();
        break;
      } catch (InterruptedException again) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
