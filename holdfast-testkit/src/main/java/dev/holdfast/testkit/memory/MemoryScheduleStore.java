package dev.holdfast.testkit.memory;

import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.schedule.Overlap;
import dev.holdfast.engine.store.Admission;
import dev.holdfast.engine.store.ScheduleStore;
import dev.holdfast.testkit.memory.Tables.Note;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Stores and fires schedules. */
final class MemoryScheduleStore implements ScheduleStore {
  /** How many due schedules are read for each one that is chosen. */
  private static final int CHOICE = 10;

  private static final Comparator<ScheduleRow> BY_ID =
      Comparator.comparing(row -> row.draft.plan().id());

  private final Tables tables;
  private final MemoryIntake intake;
  private final Map<String, ScheduleRow> rows = new TreeMap<>();
  private long lastNumber;

  /** Has the same seed in every run, so that simulations can be replayed. */
  private final Random random = new Random(7);

  MemoryScheduleStore(Tables tables, MemoryIntake intake) {
    this.tables = tables;
    this.intake = intake;
  }

  @Override
  public Glance look(String id) {
    return tables.transaction(
        now -> new Glance(now, Optional.ofNullable(rows.get(id)).map(ScheduleRow::kept)));
  }

  @Override
  public List<Kept> list() {
    return tables.transaction(now ->
        rows.values().stream().filter(row -> !row.cancelled).map(ScheduleRow::kept).toList());
  }

  @Override
  public boolean save(Draft draft, @Nullable Long seen) {
    return tables.transaction(now -> {
      ScheduleRow row = rows.get(draft.plan().id());
      if (!Objects.equals(row == null ? null : row.revision, seen)) {
        return false;
      }
      if (row == null) {
        rows.put(draft.plan().id(), new ScheduleRow(draft, ++lastNumber));
      } else {
        row.draft = draft;
        row.revision = ++lastNumber;
        row.cancelled = false;
        row.retryAt = null;
      }
      return true;
    });
  }

  @Override
  public int cancel(String id) {
    return cancelAll(row -> row.draft.plan().id().equals(id));
  }

  @Override
  public int cancelTagged(String tag) {
    return cancelAll(row -> row.draft.plan().job().tags().contains(tag));
  }

  private int cancelAll(Predicate<ScheduleRow> which) {
    return tables.transaction(now -> {
      List<ScheduleRow> found =
          rows.values().stream().filter(row -> !row.cancelled && which.test(row)).toList();
      for (ScheduleRow row : found) {
        row.cancelled = true;
        row.revision = ++lastNumber;
        if (row.draft.declared() == null) {
          rows.remove(row.draft.plan().id());
        }
      }
      return found.size();
    });
  }

  @Override
  public DueReport due(int limit) {
    return tables.transaction(now -> {
      List<ScheduleRow> due =
          rows.values().stream()
              .filter(row -> row.isDue(now))
              .sorted(Comparator.comparing(ScheduleRow::tryAt).thenComparing(BY_ID))
              .toList();
      List<ScheduleRow> free =
          new ArrayList<>(
              due.stream()
                  .filter(row -> !isBlocked(row, now))
                  .limit((long) limit * CHOICE)
                  .toList());
      Collections.shuffle(free, random);
      return new DueReport(
          now,
          free.stream()
              .limit(limit)
              .sorted(Comparator.comparing(MemoryScheduleStore::nextFire).thenComparing(BY_ID))
              .map(ScheduleRow::kept)
              .toList(),
          free.size() < limit && due.stream().anyMatch(row -> isBlocked(row, now)),
          next(now));
    });
  }

  @Override
  public void putOff(Kept seen, Duration delay) {
    tables.transaction(now -> {
      ScheduleRow row = rows.get(seen.plan().id());
      if (row != null
          && row.revision == seen.revision()
          && Objects.equals(row.draft.nextFire(), seen.draft().nextFire())) {
        row.retryAt = now.plus(delay);
      }
      return row;
    });
  }

  private boolean isBlocked(ScheduleRow row, Instant now) {
    var plan = row.draft.plan();
    return plan.recurrence().overlap() == Overlap.QUEUE
        && tables.keys.holder(
                new Keys.Key(plan.job().task(), ScheduleStore.overlapKey(plan.id()), false), now)
            != null;
  }

  private Optional<Duration> next(Instant now) {
    return rows.values().stream()
        .filter(row -> row.waits() && !row.isDue(now))
        .map(ScheduleRow::tryAt)
        .min(Comparator.naturalOrder())
        .map(time -> Duration.between(now, time));
  }

  private static Instant nextFire(ScheduleRow row) {
    return Objects.requireNonNull(row.draft.nextFire());
  }

  @Override
  public FireReport fire(FireOrder order) {
    return tables.transaction(now -> {
      Kept seen = order.seen();
      ScheduleRow row = rows.get(seen.plan().id());
      if (row == null
          || row.revision != seen.revision()
          || !row.waits()
          || !Objects.equals(row.draft.nextFire(), seen.draft().nextFire())) {
        return new FireReport(Settled.LOST, List.of());
      }
      if (!order.firings().isEmpty() && isBlocked(row, now)) {
        return new FireReport(Settled.BLOCKED, List.of());
      }
      List<JobId> created = new ArrayList<>();
      for (Firing firing : order.firings()) {
        if (takeOnce(firing, now)) {
          Admission admission = intake.enqueue(List.of(firing.job())).getFirst();
          if (admission.outcome() == Enqueued.Outcome.CREATED) {
            created.add(admission.id());
          }
        }
      }
      row.moveOn(order.last(), order.next(), ++lastNumber);
      return new FireReport(Settled.FIRED, created);
    });
  }

  private boolean takeOnce(Firing firing, Instant now) {
    UniqueKey once = firing.once();
    Duration window = Objects.requireNonNull(once.window());
    return tables.keys.take(
        Keys.Key.of(firing.job().content().task(), once), firing.job().id(), now.plus(window), now);
  }

  @Override
  public Survey declare(UUID incarnation, String application, Map<String, String> fingerprints) {
    return tables.transaction(now -> {
      tables.declarations.removeIf(note ->
          note.incarnation().equals(incarnation)
              && !note.declaration()
                  .fingerprint()
                  .equals(fingerprints.get(note.declaration().scheduleId())));
      if (isAlive(incarnation)) {
        fingerprints.forEach((id, fingerprint) -> note(incarnation, application, id, fingerprint));
      }
      List<Declaration> live =
          tables.declarations.stream()
              .filter(note -> note.application().equals(application) && isAlive(note.incarnation()))
              .map(Note::declaration)
              .toList();
      return new Survey(live, standings(application, live));
    });
  }

  private Map<String, Standing> standings(String application, List<Declaration> live) {
    Map<String, Standing> kept = new TreeMap<>();
    rows.forEach((id, row) -> {
      Declared declared = row.draft.declared();
      if ((declared != null && declared.application().equals(application))
          || live.stream().anyMatch(declaration -> declaration.scheduleId().equals(id))) {
        kept.put(id, new Standing(declared, row.draft.nextFire() == null && !row.cancelled));
      }
    });
    return kept;
  }

  private void note(UUID incarnation, String application, String id, String fingerprint) {
    long generation =
        tables.declarations.stream()
            .filter(note ->
                note.application().equals(application)
                    && note.declaration().scheduleId().equals(id)
                    && note.declaration().fingerprint().equals(fingerprint))
            .mapToLong(note -> note.declaration().generation())
            .max()
            .orElseGet(() -> ++lastNumber);
    Note made = new Note(incarnation, application, new Declaration(id, fingerprint, generation));
    if (!tables.declarations.contains(made)) {
      tables.declarations.add(made);
    }
  }

  private boolean isAlive(UUID incarnation) {
    NodeRow node = tables.nodes.get(incarnation);
    return node != null && node.alive;
  }

  @Override
  public List<String> cancelUndeclared(UUID incarnation, String application) {
    return tables.transaction(now -> {
      List<String> gone = new ArrayList<>();
      if (isAlive(incarnation)) {
        rows.values()
            .removeIf(row -> isUndeclared(row, application) && gone.add(row.draft.plan().id()));
      }
      return gone;
    });
  }

  private boolean isUndeclared(ScheduleRow row, String application) {
    Declared declared = row.draft.declared();
    return declared != null
        && declared.application().equals(application)
        && tables.declarations.stream()
            .noneMatch(note ->
                note.application().equals(application)
                    && note.declaration().scheduleId().equals(row.draft.plan().id())
                    && isAlive(note.incarnation()));
  }

  /** Deletes schedules that were created by clients and ended before this time. */
  void forgetEnded(Instant endedBefore) {
    rows.values().removeIf(row -> row.isForgettable(endedBefore));
  }
}
