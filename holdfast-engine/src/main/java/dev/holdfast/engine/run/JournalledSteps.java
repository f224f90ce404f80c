package dev.holdfast.engine.run;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.internal.Names;
import dev.holdfast.api.internal.Times;
import dev.holdfast.api.run.DurableSteps;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.held.StopReason;
import dev.holdfast.engine.intake.StoreRetry;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Journals.EntryKey;
import dev.holdfast.engine.store.Journals.EntryKind;
import dev.holdfast.engine.store.Journals.JournalEntry;
import dev.holdfast.engine.store.Journals.Taken;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The durable steps of one attempt. Each writes one entry under the token of the claim; the entries
 * of earlier claims are read once, when the handler executes its first step.
 *
 * <p>A handler that waits is unwound by {@link Parked}, and parked when it has returned: the job
 * cannot run elsewhere while code of this attempt still runs.
 */
final class JournalledSteps implements DurableSteps {
  private static final Set<EntryKind> AWAITED =
      EnumSet.of(EntryKind.AWAITING, EntryKind.RECEIVED, EntryKind.TIMED_OUT);

  private static final Logger log = LoggerFactory.getLogger(JournalledSteps.class);

  private final HeldJob heldJob;
  private final JournalServices services;
  private final Runnable check;
  private @Nullable JournalReader reader;
  private @Nullable Parked parked;
  private volatile boolean closed;

  /**
   * Creates the steps of an attempt.
   *
   * @param check throws if the attempt has been told to stop
   */
  JournalledSteps(HeldJob heldJob, JournalServices services, Runnable check) {
    this.heldJob = heldJob;
    this.services = services;
    this.check = check;
  }

  /** A step in progress. */
  private interface Step<T> {
    @Nullable T execute(EntryKey key, JournalReader reader) throws Exception;
  }

  @Override
  public <T> @Nullable T run(String name, TypeRef<T> type, Callable<? extends @Nullable T> body)
      throws Exception {
    return step(
        Names.text("Step name", name),
        (key, journal) -> {
          JournalEntry known = journal.read(key, EnumSet.of(EntryKind.RUN));
          if (known != null) {
            return decode(journal, known, type);
          }
          T value = body.call();
          append(new JournalEntry(key, EntryKind.RUN, encode(name, value)));
          return value;
        });
  }

  @Override
  public <T> @Nullable T transaction(
      String name, TypeRef<T> type, TransactionBody<? extends T> body) throws Exception {
    return step(
        Names.text("Step name", name),
        (key, journal) -> {
          JournalEntry known = journal.read(key, EnumSet.of(EntryKind.TRANSACTION));
          return known != null
              ? decode(journal, known, type)
              : inTransaction(key, journal, type, body);
        });
  }

  private <T> @Nullable T inTransaction(
      EntryKey key, JournalReader journal, TypeRef<T> type, TransactionBody<? extends T> body)
      throws Exception {
    try {
      Object[] value = new Object[1];
      boolean held =
          services
              .journals()
              .transaction(
                  incarnation(),
                  heldJob.claim(),
                  key,
                  connection -> {
                    T result = body.run(connection);
                    value[0] = result;
                    return encode(key.name(), result);
                  });
      if (!held) {
        throw lost();
      }
      @SuppressWarnings("unchecked") // It was just written.
      T result = (T) value[0];
      return result;
    } catch (StoreException failure) {
      if (failure.outcome() != StoreException.Outcome.UNKNOWN) {
        throw failure;
      }
      // The journal knows whether the transaction was committed. If it has no entry yet, the next
      // claim decides: it waits for the lock of a transaction that is still in progress.
      Optional<JournalEntry> committed =
          load().stream().filter(entry -> entry.key().equals(key)).findFirst();
      return decode(journal, committed.orElseThrow(() -> failure), type);
    }
  }

  @Override
  public void sleep(String name, Duration time) {
    Duration wake = Times.notNegative("A sleep", time);
    unchecked(
        Names.text("Step name", name),
        (key, journal) ->
            journal.read(key, EnumSet.of(EntryKind.SLEEP)) != null
                || park(new JournalEntry(key, EntryKind.SLEEP, null), wake, null));
  }

  @Override
  public <T> Optional<T> awaitSignal(String signal, TypeRef<T> type, Duration timeout) {
    return unchecked(
        Names.signal(signal),
        (key, journal) -> {
          JournalEntry entry = await(key, journal, timeout);
          return Optional.ofNullable(decode(journal, entry, type));
        });
  }

  @Override
  public boolean awaitSignal(String signal, Duration timeout) {
    return unchecked(
        Names.signal(signal),
        (key, journal) -> await(key, journal, timeout).kind() == EntryKind.RECEIVED);
  }

  private JournalEntry await(EntryKey key, JournalReader journal, Duration timeout) {
    Duration wake = Times.notNegative("A timeout", timeout);
    JournalEntry known = journal.read(key, AWAITED);
    if (known != null && known.kind() != EntryKind.AWAITING) {
      return known;
    }
    return switch (taken(key)) {
      case Taken.Received(String payload) -> new JournalEntry(key, EntryKind.RECEIVED, payload);
      case Taken.Lost() -> throw lost();
      case Taken.Nothing() -> {
        if (known == null && !wake.isZero()) {
          park(new JournalEntry(key, EntryKind.AWAITING, null), wake, key.name());
        }
        JournalEntry late = new JournalEntry(key, EntryKind.TIMED_OUT, null);
        append(late);
        yield late;
      }
    };
  }

  private Taken taken(EntryKey key) {
    return ask(
        "take a signal '%s' of job %s".formatted(key.name(), heldJob.job().id()),
        () -> services.journals().take(incarnation(), heldJob.claim(), key));
  }

  @Override
  public boolean patched(String id) {
    String name = Names.text("Patch id", id);
    JournalReader journal = begin();
    Optional<Boolean> known = journal.patched(name);
    if (known.isEmpty()) {
      append(new JournalEntry(new EntryKey(name, 0), EntryKind.PATCH, null));
      journal.patch(name);
    }
    return known.orElse(true);
  }

  private <T> T unchecked(String name, Step<T> step) {
    try {
      return Objects.requireNonNull(step(name, step));
    } catch (RuntimeException | Error failure) {
      throw failure;
    } catch (Exception impossible) { // These steps execute no code of the handler.
      throw new IllegalStateException(impossible);
    }
  }

  private <T> @Nullable T step(String name, Step<T> step) throws Exception {
    JournalReader journal = begin();
    EntryKey key = journal.start(name);
    boolean done = false;
    try {
      T result = step.execute(key, journal);
      done = true;
      return result;
    } finally {
      journal.end(key, done);
    }
  }

  /** Returns the journal, unless the attempt must not continue. */
  private synchronized JournalReader begin() {
    if (parked != null) {
      throw parked;
    }
    if (closed) {
      throw new CancellationException(
          "The attempt of job %s has ended: execute its steps before the handler returns."
              .formatted(heldJob.job().id()));
    }
    check.run();
    return journal();
  }

  /** Returns the journal, which is empty if no claim was before this one. */
  private synchronized JournalReader journal() {
    if (reader == null) {
      reader =
          new JournalReader(
              () -> services.outputs().describe(heldJob.job()),
              heldJob.job().token() > 1 ? load() : List.of());
    }
    return reader;
  }

  private List<JournalEntry> load() {
    return ask(
        "read the journal of job %s".formatted(heldJob.job().id()),
        () -> services.journals().load(heldJob.job().id()));
  }

  /** Always throws; the return type only satisfies the compiler. */
  private synchronized boolean park(JournalEntry entry, Duration wake, @Nullable String signal) {
    if (parked == null) {
      parked = new Parked(new Finish.Parked(heldJob.claim(), entry, wake, signal));
    }
    throw parked;
  }

  private void append(JournalEntry entry) {
    if (heldJob.tenure().isOver()) {
      throw lost();
    }
    boolean held =
        ask(
            "store step '%s' of job %s".formatted(entry.key().name(), heldJob.job().id()),
            () -> services.journals().append(incarnation(), heldJob.claim(), entry));
    if (!held) {
      throw lost();
    }
  }

  /** Calls the store even if the thread was interrupted: what a step has done must be stored. */
  private static <T> T ask(String what, Supplier<T> call) {
    boolean interrupted = Thread.interrupted();
    try {
      return StoreRetry.ask(what, before -> call.get());
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private CancellationException lost() {
    heldJob.stop(StopReason.CLAIM_LOST);
    return new CancellationException(
        "Job %s is no longer held by this node: end this attempt, its result is not stored."
            .formatted(heldJob.job().id()));
  }

  private @Nullable String encode(String name, @Nullable Object value) {
    if (value == null) {
      return null;
    }
    return services.outputs().encode(heldJob.job(), "result of step '%s'".formatted(name), value);
  }

  private <T> @Nullable T decode(JournalReader journal, JournalEntry entry, TypeRef<T> type) {
    try {
      return entry.output() == null ? null : services.codec().decode(entry.output(), type);
    } catch (RuntimeException | LinkageError unreadable) { // A custom codec may throw anything.
      throw journal.mismatch(
          entry,
          "cannot be decoded as %s: %s".formatted(type.simpleName(), unreadable),
          unreadable);
    }
  }

  private UUID incarnation() {
    return heldJob.tenure().incarnation();
  }

  /** Throws if the handler, which has returned, has not executed all steps of its journal. */
  synchronized void requireComplete() {
    if (parked != null) {
      throw parked;
    }
    try {
      journal().requireAllRead();
    } catch (StoreException unread) {
      // What the handler has done counts, even if it cannot be compared with the journal.
      log.warn(
          "The journal of job {} could not be compared with its code, its result counts anyway: {}",
          heldJob.job().id(),
          unread.getMessage());
    }
  }

  /** Returns how the job is parked; null if it is not. */
  synchronized @Nullable Parked parked() {
    return parked;
  }

  /** Notes that the handler has returned. */
  void close() {
    closed = true;
  }
}
