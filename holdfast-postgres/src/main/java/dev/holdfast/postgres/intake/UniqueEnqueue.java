package dev.holdfast.postgres.intake;

import dev.holdfast.api.DuplicateJobException;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.Enqueued.Outcome;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.job.UniqueKey.OnConflict;
import dev.holdfast.engine.store.Admission;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.postgres.intake.Candidate.FullKey;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Admits one list of new jobs whose ids or keys may be taken, inside one transaction.
 *
 * <p>It inserts first and checks afterwards, in later statements. In the opposite order, a job
 * could move from the live table to history between the two checks and be created twice. A job that
 * turns out to have ended is deleted before it becomes visible. If the holder of a key disappears
 * between a failed insert and the query for the holder, another round starts.
 */
final class UniqueEnqueue {
  private static final int MOST_ROUNDS = 10;

  // All transactions take keys in the same order, so that two lists cannot deadlock.
  private static final Comparator<Candidate> BY_KEY =
      Comparator.comparing((Candidate entry) -> entry.fullKey().task())
          .thenComparing(entry -> entry.fullKey().value())
          .thenComparingInt(Candidate::ordinal);

  private final IntakeStatements statements;
  private final Connection connection;
  private final @Nullable Admission[] admissions;

  UniqueEnqueue(IntakeStatements statements, Connection connection, int size) {
    this.statements = statements;
    this.connection = connection;
    this.admissions = new Admission[size];
  }

  /** Returns whether a list has only new ids and no keys, so that it does not need this class. */
  static boolean isPlain(List<NewJob> jobs) {
    return jobs.stream().allMatch(job -> job.unique() == null && !job.mayExist());
  }

  /** Numbers the jobs of a list. */
  static List<Candidate> entries(List<NewJob> jobs) {
    List<Candidate> entries = new ArrayList<>(jobs.size());
    for (int i = 0; i < jobs.size(); i++) {
      entries.add(new Candidate(i, jobs.get(i)));
    }
    return entries;
  }

  List<Admission> admit(List<Candidate> jobs) throws SQLException {
    List<UUID> repeats = Candidate.repeats(jobs);
    if (!repeats.isEmpty()) {
      statements.rememberRepeats(connection, repeats);
    }
    List<Candidate> open = jobs;
    for (int round = 0; !open.isEmpty(); round++) {
      if (round == MOST_ROUNDS) {
        throw new StoreException(
            StoreException.Outcome.RETRYABLE,
            "Could not enqueue job %s: the holder of its unique key kept changing. Nothing was changed; try again."
                .formatted(open.getFirst().id()),
            null);
      }
      open = round(open);
    }
    return Arrays.stream(admissions).map(Objects::requireNonNull).toList();
  }

  private List<Candidate> round(List<Candidate> jobs) throws SQLException {
    List<Candidate> ordered = jobs.stream().sorted(BY_KEY).toList();
    Set<UUID> keyed = takeLedgerKeys(ordered);
    List<Candidate> insertable =
        ordered.stream().filter(e -> !e.isWindowed() || keyed.contains(e.id())).toList();
    Set<UUID> inserted =
        insertable.isEmpty() ? Set.of() : statements.insertNew(connection, insertable);
    Set<UUID> endedBefore = takeBackEnded(insertable, inserted);
    List<Candidate> undecided = new ArrayList<>();
    Set<UUID> created = new HashSet<>(inserted);
    created.removeAll(endedBefore);
    for (Candidate entry : jobs) {
      if (endedBefore.contains(entry.id())) {
        admitted(entry, entry.job().id(), Outcome.EXISTING);
      } else if (created.remove(entry.id())) {
        admitted(entry, entry.job().id(), Outcome.CREATED);
      } else {
        undecided.add(entry);
      }
    }
    List<Candidate> open = undecided.isEmpty() ? List.of() : resolve(undecided);
    releaseUnused(ordered, keyed);
    return open;
  }

  /** Takes keys with a window, each for the first job in the list that has it. */
  private Set<UUID> takeLedgerKeys(List<Candidate> ordered) throws SQLException {
    Map<FullKey, KeyRequest> firsts = new LinkedHashMap<>();
    ordered.stream()
        .flatMap(e -> e.keyRequest().stream())
        .forEach(request -> firsts.putIfAbsent(request.fullKey(), request));
    return firsts.isEmpty()
        ? Set.of()
        : statements.keys().takeLedgerKeys(connection, List.copyOf(firsts.values()));
  }

  private Set<UUID> takeBackEnded(List<Candidate> insertable, Set<UUID> inserted)
      throws SQLException {
    Set<UUID> doubtful =
        insertable.stream()
            .filter(e -> e.job().mayExist() && inserted.contains(e.id()))
            .map(Candidate::id)
            .collect(Collectors.toSet());
    Set<UUID> ended =
        doubtful.isEmpty() ? Set.of() : statements.lookups().ended(connection, doubtful);
    if (!ended.isEmpty()) {
      statements.remove(connection, ended);
    }
    return ended;
  }

  /** Releases keys that were taken for jobs that are not new. They must not count from now on. */
  private void releaseUnused(List<Candidate> ordered, Set<UUID> keyed) throws SQLException {
    List<KeyRequest> unused =
        ordered.stream()
            .filter(e -> keyed.contains(e.id()) && !wasCreated(e))
            .flatMap(e -> e.keyRequest().stream())
            .toList();
    if (!unused.isEmpty()) {
      statements.keys().releaseLedgerKeys(connection, unused);
    }
  }

  /**
   * Decides about jobs that were not inserted, and returns those whose conflict has disappeared.
   */
  private List<Candidate> resolve(List<Candidate> undecided) throws SQLException {
    Set<UUID> ids = undecided.stream().map(Candidate::id).collect(Collectors.toSet());
    Set<UUID> known =
        new HashSet<>(
            statements.lookups().known(connection, ids, Candidate.firstAttempts(undecided)));
    Set<UUID> doubtful =
        undecided.stream()
            .filter(entry -> entry.job().mayExist())
            .map(Candidate::id)
            .collect(Collectors.toSet());
    known.addAll(statements.lookups().ended(connection, doubtful));
    ids.removeAll(doubtful);
    known.addAll(statements.lookups().endedLately(connection, ids));
    Map<FullKey, JobId> live = holders(undecided, false);
    Map<FullKey, JobId> ledger = holders(undecided, true);
    List<Candidate> open = new ArrayList<>();
    List<Candidate> replacing = new ArrayList<>();
    for (Candidate entry : undecided) {
      UniqueKey key = entry.key();
      JobId holder = (entry.isWindowed() ? ledger : live).get(entry.fullKey());
      // The id is checked before the key: a repeat must find its own job, not fail because of its
      // own key.
      if (known.contains(entry.id())) {
        admitted(entry, entry.job().id(), Outcome.EXISTING);
      } else if (key == null || holder == null) {
        open.add(entry);
      } else if (key.onConflict() == OnConflict.FAIL) {
        throw new DuplicateJobException(key.value(), holder);
      } else {
        admitted(entry, holder, Outcome.EXISTING);
        if (key.onConflict() == OnConflict.REPLACE) {
          replacing.add(entry);
        }
      }
    }
    replace(replacing);
    return open;
  }

  private Map<FullKey, JobId> holders(List<Candidate> undecided, boolean windowed)
      throws SQLException {
    Set<FullKey> keys =
        undecided.stream()
            .filter(e -> e.key() != null && e.isWindowed() == windowed)
            .map(Candidate::fullKey)
            .collect(Collectors.toSet());
    return keys.isEmpty() ? new HashMap<>() : statements.keys().holders(connection, keys, windowed);
  }

  /**
   * Replaces the content of existing jobs. If the list has several contents for one job, the last
   * one wins.
   */
  private void replace(List<Candidate> requests) throws SQLException {
    if (requests.isEmpty()) {
      return;
    }
    Map<JobId, Candidate> contents = new TreeMap<>();
    requests.forEach(request -> contents.put(admission(request).id(), request));
    Set<UUID> replaced =
        statements.replace(
            connection,
            List.copyOf(contents.values()),
            contents.keySet().stream().map(JobId::value).toList());
    for (Candidate request : requests) {
      JobId target = admission(request).id();
      if (replaced.contains(target.value())) {
        admitted(request, target, Outcome.REPLACED);
      }
    }
  }

  private Admission admission(Candidate entry) {
    return Objects.requireNonNull(admissions[entry.ordinal()]);
  }

  private void admitted(Candidate entry, JobId id, Outcome outcome) {
    admissions[entry.ordinal()] = new Admission(id, outcome);
  }

  private boolean wasCreated(Candidate entry) {
    Admission admission = admissions[entry.ordinal()];
    return admission != null && admission.outcome() == Outcome.CREATED;
  }
}
