package dev.holdfast.postgres.intake;

import dev.holdfast.api.DuplicateJobException;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.job.UniqueKey.OnConflict;
import dev.holdfast.engine.store.Admission;
import dev.holdfast.engine.store.Admission.Outcome;
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
 * <p>It writes first and looks afterwards, in later statements. The other way round a job could
 * move from the live table to history between the two looks and be written twice. A job that turns
 * out to have ended is taken back before anybody sees it. A key whose holder vanishes between a
 * failed insert and the look at who holds it makes another round.
 */
final class UniqueEnqueue {
  private static final int MOST_ROUNDS = 10;

  // Everybody takes keys in the same order, so that two lists cannot wait for each other.
  private static final Comparator<Candidate> BY_KEY =
      Comparator.comparing((Candidate entry) -> entry.fullKey().task())
          .thenComparing(entry -> entry.fullKey().value())
          .thenComparingInt(Candidate::ordinal);

  private final IntakeStatements statements;
  private final Connection connection;
  private final @Nullable Admission[] answers;

  UniqueEnqueue(IntakeStatements statements, Connection connection, int size) {
    this.statements = statements;
    this.connection = connection;
    this.answers = new Admission[size];
  }

  /** Whether a list needs no desk: fresh ids and no keys. */
  static boolean isPlain(List<NewJob> jobs) {
    return jobs.stream().allMatch(job -> job.unique() == null && !job.mayExist());
  }

  /** Number the jobs of a list. */
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
            "Could not enqueue job %s: its unique key changes hands all the time. Nothing was changed; ask again."
                .formatted(open.getFirst().id()),
            null);
      }
      open = round(open);
    }
    return Arrays.stream(answers).map(Objects::requireNonNull).toList();
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
        answer(entry, entry.job().id(), Outcome.EXISTING);
      } else if (created.remove(entry.id())) {
        answer(entry, entry.job().id(), Outcome.CREATED);
      } else {
        undecided.add(entry);
      }
    }
    List<Candidate> open = undecided.isEmpty() ? List.of() : resolve(undecided);
    releaseUnused(ordered, keyed);
    return open;
  }

  /** The first of several jobs with one key takes it. */
  private Set<UUID> takeLedgerKeys(List<Candidate> ordered) throws SQLException {
    Map<FullKey, Candidate> firsts = new LinkedHashMap<>();
    ordered.stream().filter(Candidate::isWindowed).forEach(e -> firsts.putIfAbsent(e.fullKey(), e));
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
    Set<UUID> ended = doubtful.isEmpty() ? Set.of() : statements.ended(connection, doubtful);
    if (!ended.isEmpty()) {
      statements.remove(connection, ended);
    }
    return ended;
  }

  /** A key taken for a job that is not new after all must not count from now on. */
  private void releaseUnused(List<Candidate> ordered, Set<UUID> keyed) throws SQLException {
    List<Candidate> unused =
        ordered.stream()
            .filter(e -> e.isWindowed() && keyed.contains(e.id()) && !wasCreated(e))
            .toList();
    if (!unused.isEmpty()) {
      statements.keys().releaseLedgerKeys(connection, unused);
    }
  }

  /** Answer jobs that were not written, and return those whose obstacle has vanished. */
  private List<Candidate> resolve(List<Candidate> undecided) throws SQLException {
    Set<UUID> ids = undecided.stream().map(Candidate::id).collect(Collectors.toSet());
    Set<UUID> known =
        new HashSet<>(statements.known(connection, ids, Candidate.firstAttempts(undecided)));
    Set<UUID> doubtful =
        undecided.stream()
            .filter(entry -> entry.job().mayExist())
            .map(Candidate::id)
            .collect(Collectors.toSet());
    known.addAll(statements.ended(connection, doubtful));
    ids.removeAll(doubtful);
    known.addAll(statements.endedLately(connection, ids));
    Map<FullKey, JobId> live = holders(undecided, false);
    Map<FullKey, JobId> ledger = holders(undecided, true);
    List<Candidate> open = new ArrayList<>();
    List<Candidate> replacing = new ArrayList<>();
    for (Candidate entry : undecided) {
      UniqueKey key = entry.key();
      JobId holder = (entry.isWindowed() ? ledger : live).get(entry.fullKey());
      // The id goes before the key: a repeat must find itself, not stumble over its own key.
      if (known.contains(entry.id())) {
        answer(entry, entry.job().id(), Outcome.EXISTING);
      } else if (key == null || holder == null) {
        open.add(entry);
      } else if (key.onConflict() == OnConflict.FAIL) {
        throw new DuplicateJobException(key.value(), holder);
      } else {
        answer(entry, holder, Outcome.EXISTING);
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

  /** Of several contents for one job the last in the list stays. */
  private void replace(List<Candidate> wishes) throws SQLException {
    if (wishes.isEmpty()) {
      return;
    }
    Map<JobId, Candidate> contents = new TreeMap<>();
    wishes.forEach(wish -> contents.put(admission(wish).id(), wish));
    Set<UUID> replaced =
        statements.replace(
            connection,
            List.copyOf(contents.values()),
            contents.keySet().stream().map(JobId::value).toList());
    for (Candidate wish : wishes) {
      JobId target = admission(wish).id();
      if (replaced.contains(target.value())) {
        answer(wish, target, Outcome.REPLACED);
      }
    }
  }

  private Admission admission(Candidate entry) {
    return Objects.requireNonNull(answers[entry.ordinal()]);
  }

  private void answer(Candidate entry, JobId id, Outcome answer) {
    answers[entry.ordinal()] = new Admission(id, answer);
  }

  private boolean wasCreated(Candidate entry) {
    Admission answer = answers[entry.ordinal()];
    return answer != null && answer.outcome() == Outcome.CREATED;
  }
}
