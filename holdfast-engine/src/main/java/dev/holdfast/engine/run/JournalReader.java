package dev.holdfast.engine.run;

import dev.holdfast.api.run.JournalMismatchException;
import dev.holdfast.api.run.ParallelStepException;
import dev.holdfast.engine.store.Journals.EntryKey;
import dev.holdfast.engine.store.Journals.EntryKind;
import dev.holdfast.engine.store.Journals.JournalEntry;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The journal that earlier claims of a job left, and how far an attempt has read it. Handlers may
 * execute steps in several threads.
 */
final class JournalReader {
  private final Supplier<String> owner;
  private final Map<EntryKey, JournalEntry> unread = new LinkedHashMap<>();
  private final Map<String, Integer> occurrences = new HashMap<>();
  private final Set<String> inProgress = new HashSet<>();
  private final Map<String, Boolean> patches = new HashMap<>();
  private @Nullable JournalMismatchException mismatch;

  /**
   * Creates a reader.
   *
   * @param owner describes the job, for messages
   */
  JournalReader(Supplier<String> owner, List<JournalEntry> entries) {
    this.owner = owner;
    for (JournalEntry entry : entries) {
      if (entry.kind() == EntryKind.PATCH) {
        patches.put(entry.key().name(), true);
      } else {
        unread.put(entry.key(), entry);
      }
    }
  }

  /**
   * Starts the next step of a name.
   *
   * @throws ParallelStepException if one of this name is in progress
   */
  synchronized EntryKey start(String name) {
    if (!inProgress.add(name)) {
      throw new ParallelStepException(name);
    }
    return new EntryKey(name, occurrences.merge(name, 1, Integer::sum));
  }

  /**
   * Ends a step. One that failed has left no entry, so the next step of its name takes its place,
   * whether in this attempt or in a later one.
   */
  synchronized void end(EntryKey key, boolean done) {
    inProgress.remove(key.name());
    if (!done) {
      occurrences.merge(key.name(), -1, Integer::sum);
    }
  }

  /**
   * Reads an entry; null if there is none.
   *
   * @throws JournalMismatchException if the entry is of another kind
   */
  synchronized @Nullable JournalEntry read(EntryKey key, Set<EntryKind> expected) {
    JournalEntry entry = unread.remove(key);
    if (entry != null && !expected.contains(entry.kind())) {
      throw mismatch(
          entry, "was written by %s, but the code executes %s".formatted(entry.kind(), expected));
    }
    return entry;
  }

  /** Returns an exception about an entry, which fails the job even if the handler catches it. */
  JournalMismatchException mismatch(JournalEntry entry, String why) {
    return mismatch(entry, why, null);
  }

  /** Returns an exception about an entry, which fails the job even if the handler catches it. */
  synchronized JournalMismatchException mismatch(
      JournalEntry entry, String why, @Nullable Throwable cause) {
    JournalMismatchException found =
        new JournalMismatchException(
            "The journal of %s does not match the code: step '%s', occurrence %d, %s. Run the job with code that matches, see DurableSteps.patched."
                .formatted(owner.get(), entry.key().name(), entry.key().occurrence(), why),
            cause);
    mismatch = mismatch == null ? found : mismatch;
    return found;
  }

  /** Returns whether the job executes changed code; empty if it does and that is not stored yet. */
  synchronized Optional<Boolean> patched(String id) {
    if (!unread.isEmpty()) {
      patches.putIfAbsent(id, false);
    }
    return Optional.ofNullable(patches.get(id));
  }

  /** Notes that it is stored that the job executes changed code. */
  synchronized void patch(String id) {
    patches.put(id, true);
  }

  /**
   * Checks that a handler that returned has read the whole journal.
   *
   * @throws JournalMismatchException if it has not, or has caught such an exception
   */
  synchronized void requireAllRead() {
    if (mismatch != null) {
      throw mismatch;
    }
    if (!unread.isEmpty()) {
      throw mismatch(
          unread.values().iterator().next(),
          "was executed before, but the handler has returned without executing it");
    }
  }
}
