package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.schedule.Misfire;
import dev.holdfast.api.schedule.Overlap;
import dev.holdfast.api.schedule.Recurrence;
import dev.holdfast.api.schedule.Timing;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeStore.NodeRegistration;
import dev.holdfast.engine.store.SchedulePlan;
import dev.holdfast.engine.store.ScheduleStore;
import dev.holdfast.engine.store.ScheduleStore.Declaration;
import dev.holdfast.engine.store.ScheduleStore.Declared;
import dev.holdfast.engine.store.ScheduleStore.Draft;
import dev.holdfast.engine.store.ScheduleStore.FireOrder;
import dev.holdfast.engine.store.ScheduleStore.FireReport;
import dev.holdfast.engine.store.ScheduleStore.Firing;
import dev.holdfast.engine.store.ScheduleStore.Kept;
import dev.holdfast.engine.store.ScheduleStore.Settled;
import dev.holdfast.engine.store.ScheduleStore.Standing;
import dev.holdfast.engine.store.Upkeep.Retention;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Schedules in the store. */
public abstract class ScheduleContract extends Contract {
  private static final Duration HOUR = Duration.ofHours(1);

  private static SchedulePlan plan(String id, Overlap overlap, String... tags) {
    return new SchedulePlan(
        id,
        new Recurrence(
            new Timing.Every(HOUR), Misfire.FIRE_ONCE, overlap, Duration.ofSeconds(5), null, null),
        new SchedulePlan.JobTemplate(TASK, QUEUE, 7, "{}", Set.of(tags), null, null, null));
  }

  private Instant now() {
    return scheduleStore().look("nothing").now().truncatedTo(ChronoUnit.MILLIS);
  }

  private ScheduleStore scheduleStore() {
    return store.schedules();
  }

  private Kept save(SchedulePlan plan, Duration dueIn, @Nullable Declared declared) {
    Instant now = now();
    assertThat(scheduleStore().save(new Draft(plan, declared, false, now, now.plus(dueIn)), null))
        .isTrue();
    return kept(plan.id());
  }

  private Kept saveDue(String id, Overlap overlap) {
    return save(plan(id, overlap), Duration.ZERO, null);
  }

  private Kept kept(String id) {
    return scheduleStore().look(id).kept().orElseThrow();
  }

  private static FireOrder order(Kept seen) {
    Instant due = Objects.requireNonNull(seen.draft().nextFire());
    String id = seen.plan().id();
    JobDraft job = job().priority(7).tags("schedule:" + id);
    if (seen.plan().recurrence().overlap() != Overlap.ALLOW) {
      job.unique(UniqueKey.whileActive(ScheduleStore.overlapKey(id)));
    }
    return new FireOrder(
        seen,
        List.of(
            new Firing(
                due,
                UniqueKey.within("schedule:" + id + ":" + due, Duration.ofDays(1)),
                job.build())),
        due,
        // If the fixture passes time by moving rows, the new due time must not equal the old one.
        due.plus(HOUR).minusMillis(1));
  }

  private FireReport fire(Kept seen) {
    return scheduleStore().fire(order(seen));
  }

  private List<String> dueIds() {
    return scheduleStore().due(PLENTY).due().stream().map(kept -> kept.plan().id()).toList();
  }

  private JobId firedJob(String id) {
    FireReport report = fire(kept(id));
    assertThat(report.result()).isEqualTo(Settled.FIRED);
    assertThat(report.created()).hasSize(1);
    return report.created().getFirst();
  }

  @Test
  void aScheduleIsReadBackAsItWasWritten() {
    Instant now = now();
    SchedulePlan plan =
        new SchedulePlan(
            "nightly",
            new Recurrence(
                new Timing.Cron("0 3 * * MON-FRI", ZoneId.of("Europe/Berlin")),
                Misfire.catchUp(3),
                Overlap.ALLOW,
                Duration.ofSeconds(90),
                now,
                now.plus(HOUR)),
            new SchedulePlan.JobTemplate(
                TASK,
                QUEUE,
                9,
                "{\"a\":1}",
                Set.of("x", "y z"),
                "{}",
                Duration.ofMinutes(3),
                "blue"));
    Draft draft = new Draft(plan, new Declared("shop", "f1"), true, now, null);

    assertThat(scheduleStore().save(draft, null)).isTrue();

    assertThat(kept("nightly").draft()).isEqualTo(draft);
    assertThat(kept("nightly").lastFire()).isNull();
    assertThat(scheduleStore().list()).containsExactly(kept("nightly"));
  }

  @Test
  void aWriteBasedOnAnOutdatedScheduleChangesNothing() {
    Kept first = save(plan("a", Overlap.SKIP), HOUR, null);

    assertThat(scheduleStore().save(first.draft(), null)).isFalse();
    assertThat(scheduleStore().save(first.draft(), first.revision())).isTrue();
    assertThat(scheduleStore().save(first.draft(), first.revision())).isFalse();
    assertThat(kept("a").revision()).isGreaterThan(first.revision());
  }

  @Test
  void dueTimesAreComparedWithTheClockOfTheStore() {
    save(plan("soon", Overlap.SKIP), Duration.ofMinutes(30), null);
    save(plan("later", Overlap.SKIP), Duration.ofMinutes(90), null);
    assertThat(dueIds()).isEmpty();
    assertThat(scheduleStore().due(PLENTY).next().orElseThrow())
        .isBetween(Duration.ofMinutes(29), Duration.ofMinutes(30));

    passTime(HOUR);

    assertThat(dueIds()).containsExactly("soon");
    assertThat(scheduleStore().due(PLENTY).next().orElseThrow())
        .isBetween(Duration.ofMinutes(29), Duration.ofMinutes(30));
  }

  @Test
  void firingCreatesTheJobAndAdvancesTheSchedule() {
    Kept seen = saveDue("a", Overlap.SKIP);

    JobId job = firedJob("a");

    assertThat(find(job).task()).isEqualTo(TASK);
    assertThat(find(job).state()).isEqualTo(JobState.READY);
    assertThat(kept("a").lastFire()).isEqualTo(seen.draft().nextFire());
    assertThat(dueIds()).isEmpty();
  }

  @Test
  void concurrentFiringsOfOneDueTimeCreateOneJob() throws Exception {
    Kept seen = saveDue("a", Overlap.ALLOW);

    List<FireReport> reports = Together.run(8, number -> fire(seen));

    assertThat(reports).filteredOn(report -> report.result() == Settled.FIRED).hasSize(1);
    assertThat(reports).filteredOn(report -> report.result() == Settled.LOST).hasSize(7);
    assertThat(countAll(JobFilter.all())).isEqualTo(1);
  }

  @Test
  void aDueTimeIsFiredOnceEvenIfTheScheduleIsRecreated() {
    Kept seen = saveDue("a", Overlap.ALLOW);
    firedJob("a");
    scheduleStore().cancel("a");
    scheduleStore().save(seen.draft(), null);

    assertThat(fire(kept("a"))).isEqualTo(new FireReport(Settled.FIRED, List.of()));
    assertThat(countAll(JobFilter.all())).isEqualTo(1);
  }

  @Test
  void aRepeatedFiringCreatesNoSecondJob() {
    Kept seen = saveDue("a", Overlap.SKIP);
    FireOrder order = order(seen);
    scheduleStore().fire(order);

    assertThat(scheduleStore().fire(order).result()).isEqualTo(Settled.LOST);
    assertThat(countAll(JobFilter.all())).isEqualTo(1);
  }

  @Test
  void aPausedScheduleIsNotDueAndCannotBeFired() {
    Kept seen = saveDue("a", Overlap.SKIP);
    Draft old = seen.draft();
    Draft paused = new Draft(old.plan(), null, true, old.anchor(), old.nextFire());
    assertThat(scheduleStore().save(paused, seen.revision())).isTrue();

    assertThat(dueIds()).isEmpty();
    assertThat(fire(seen).result()).isEqualTo(Settled.LOST);
    assertThat(fire(kept("a")).result()).isEqualTo(Settled.LOST);
    assertThat(scheduleStore().list()).hasSize(1);
  }

  @Test
  void overlapSkipCreatesNoJobWhileOneIsLive() {
    saveDue("a", Overlap.SKIP);
    firedJob("a");
    passTime(HOUR);

    assertThat(fire(kept("a"))).isEqualTo(new FireReport(Settled.FIRED, List.of()));
    assertThat(countAll(JobFilter.all())).isEqualTo(1);
  }

  @Test
  void overlapAllowCreatesAnotherJobWhileOneIsLive() {
    saveDue("a", Overlap.ALLOW);
    firedJob("a");
    passTime(HOUR);

    assertThat(firedJob("a")).isNotNull();
    assertThat(countAll(JobFilter.all())).isEqualTo(2);
  }

  @Test
  void overlapQueueDelaysTheDueTimeWhileAJobIsLive() {
    Worker worker = worker();
    saveDue("a", Overlap.QUEUE);
    firedJob("a");
    var running = worker.claimOne();
    passTime(HOUR.multipliedBy(3));

    assertThat(scheduleStore().due(PLENTY).blocked()).isTrue();
    assertThat(dueIds()).isEmpty();
    assertThat(fire(kept("a")).result()).isEqualTo(Settled.BLOCKED);

    worker.succeed(running);
    assertThat(scheduleStore().due(PLENTY).blocked()).isFalse();
    assertThat(dueIds()).containsExactly("a");
    firedJob("a");
  }

  @Test
  void finishedAndArchivedJobsDoNotBlockTheNextFiring() {
    Worker worker = worker();
    saveDue("a", Overlap.SKIP);
    firedJob("a");
    worker.succeed(worker.claimOne());
    passTime(HOUR);
    firedJob("a");
    worker.failPermanently(worker.claimOne());
    passTime(HOUR);

    assertThat(firedJob("a")).isNotNull();
  }

  @Test
  void cancellingByTagReturnsTheNumberCancelled() {
    save(plan("a", Overlap.SKIP, "reports", "night"), HOUR, null);
    save(plan("b", Overlap.SKIP, "reports"), HOUR, null);
    save(plan("c", Overlap.SKIP, "mail"), HOUR, null);

    assertThat(scheduleStore().cancelTagged("reports")).isEqualTo(2);
    assertThat(scheduleStore().cancelTagged("reports")).isZero();
    assertThat(scheduleStore().cancel("c")).isEqualTo(1);
    assertThat(scheduleStore().cancel("c")).isZero();
    assertThat(scheduleStore().list()).isEmpty();
  }

  @Test
  void aScheduleCancelledSinceItWasReadCannotBeFired() {
    Kept seen = saveDue("a", Overlap.SKIP);
    scheduleStore().cancel("a");

    assertThat(fire(seen).result()).isEqualTo(Settled.LOST);
    assertThat(countAll(JobFilter.all())).isZero();
  }

  @Test
  void aCancelledDeclaredScheduleStaysStoredAndIsNotDue() {
    save(plan("a", Overlap.SKIP, "t"), Duration.ZERO, new Declared("shop", "f1"));

    assertThat(scheduleStore().cancelTagged("t")).isEqualTo(1);
    assertThat(scheduleStore().cancel("a")).isZero();
    assertThat(kept("a").cancelled()).isTrue();
    assertThat(scheduleStore().list()).isEmpty();
    assertThat(dueIds()).isEmpty();
    assertThat(scheduleStore().save(kept("a").draft(), kept("a").revision())).isTrue();
    assertThat(kept("a").cancelled()).isFalse();
  }

  @Test
  void aRepeatedDeclarationKeepsItsGeneration() {
    Worker old = worker("v1");
    long first = declare(old, "v1").getFirst().generation();
    Worker young = worker("v2");
    long second =
        declare(young, "v2").stream().mapToLong(Declaration::generation).max().orElseThrow();
    assertThat(second).isGreaterThan(first);

    old.leave();
    Worker again = worker("v1-again");

    assertThat(declare(again, "v1"))
        .containsExactlyInAnyOrder(
            new Declaration("a", "v1", first), new Declaration("a", "v2", second));
    assertThat(declare(again, "v1")).hasSize(2);
  }

  private List<Declaration> declare(Worker worker, String fingerprint) {
    return scheduleStore().declare(worker.incarnation(), "shop", Map.of("a", fingerprint)).live();
  }

  @Test
  void declaringReturnsTheStoredSchedules() {
    Worker node = worker("node");
    save(plan("a", Overlap.SKIP), HOUR, new Declared("shop", "old"));
    save(plan("gone", Overlap.SKIP), HOUR, new Declared("shop", "f"));
    save(plan("taken", Overlap.SKIP), HOUR, null);
    save(plan("foreign", Overlap.SKIP), HOUR, new Declared("billing", "f"));
    save(plan("client", Overlap.SKIP), HOUR, null);
    Map<String, String> declared = Map.of("a", "new", "b", "f", "taken", "f");

    for (int i = 0; i < 2; i++) {
      var survey = scheduleStore().declare(node.incarnation(), "shop", declared);

      assertThat(survey.live())
          .extracting(Declaration::scheduleId)
          .containsExactlyInAnyOrder("a", "b", "taken");
      assertThat(survey.kept())
          .containsOnly(
              Map.entry("a", new Standing(new Declared("shop", "old"), false)),
              Map.entry("gone", new Standing(new Declared("shop", "f"), false)),
              Map.entry("taken", new Standing(null, false)));
    }
  }

  @Test
  void onlySchedulesThatNoLiveNodeDeclaresAreCancelledAndOnlyOnce() throws Exception {
    Worker old = worker("v1");
    Worker young = worker("v2");
    save(plan("gone", Overlap.SKIP), HOUR, new Declared("shop", "f"));
    save(plan("stays", Overlap.SKIP), HOUR, new Declared("shop", "f"));
    save(plan("foreign", Overlap.SKIP), HOUR, new Declared("billing", "f"));
    save(plan("client", Overlap.SKIP), HOUR, null);
    scheduleStore().declare(old.incarnation(), "shop", Map.of("gone", "f", "stays", "f"));
    scheduleStore().declare(young.incarnation(), "shop", Map.of("stays", "f"));
    assertThat(scheduleStore().cancelUndeclared(young.incarnation(), "shop")).isEmpty();

    old.leave();

    assertThat(scheduleStore().cancelUndeclared(old.incarnation(), "shop")).isEmpty();
    List<List<String>> results =
        Together.run(4, number -> scheduleStore().cancelUndeclared(young.incarnation(), "shop"));
    assertThat(results.stream().flatMap(List::stream)).containsExactly("gone");
    assertThat(scheduleStore().list())
        .extracting(kept -> kept.plan().id())
        .containsExactly("client", "foreign", "stays");
  }

  @Test
  void aNewIncarnationInheritsTheDeclarationsOfTheOldOne() {
    Worker other = worker("other");
    NodeRegistration old = Worker.registration("node", Set.of(), Set.of());
    store.nodes().register(old);
    save(plan("a", Overlap.SKIP), HOUR, new Declared("shop", "f"));
    List<Declaration> before =
        scheduleStore().declare(old.incarnation(), "shop", Map.of("a", "f")).live();

    NodeRegistration young = Worker.registration("node", Set.of(), Set.of());
    for (int i = 0; i < 2; i++) { // The second call repeats the first, as after a lost reply.
      store.nodes().register(young, Modes.FULL, old.incarnation());

      assertThat(scheduleStore().cancelUndeclared(other.incarnation(), "shop")).isEmpty();
      assertThat(scheduleStore().declare(other.incarnation(), "shop", Map.of()).live())
          .isEqualTo(before);
    }
    assertThat(scheduleStore().declare(young.incarnation(), "shop", Map.of()).live())
        .as("an inherited declaration can be withdrawn")
        .isEmpty();
    assertThat(scheduleStore().cancelUndeclared(other.incarnation(), "shop")).containsExactly("a");
  }

  @Test
  void noMoreDueSchedulesAreReturnedThanRequested() {
    IntStream.range(0, 5).forEach(i -> saveDue("s" + i, Overlap.SKIP));

    assertThat(scheduleStore().due(3).due()).hasSize(3);
  }

  @Test
  void aScheduleThatEndedLongAgoIsDeletedUnlessItIsDeclared() {
    Retention retention = new Retention(Duration.ofDays(10), Duration.ofDays(30));
    saveEnded("ended", null);
    saveEnded("declared", new Declared("shop", "a1"));
    saveDue("endless", Overlap.ALLOW);
    passTime(Duration.ofDays(9));
    store.upkeep().tidy(retention);
    assertThat(scheduleStore().look("ended").kept()).isPresent();

    passTime(Duration.ofDays(2));
    store.upkeep().tidy(retention);

    assertThat(scheduleStore().list())
        .extracting(kept -> kept.plan().id())
        .containsExactly("declared", "endless");
  }

  private void saveEnded(String id, @Nullable Declared declared) {
    Instant now = now();
    SchedulePlan endless = plan(id, Overlap.ALLOW);
    Recurrence ended =
        new Recurrence(
            new Timing.Every(HOUR), Misfire.FIRE_ONCE, Overlap.ALLOW, Duration.ZERO, null, now);
    SchedulePlan plan = new SchedulePlan(id, ended, endless.job());
    assertThat(scheduleStore().save(new Draft(plan, declared, false, now, null), null)).isTrue();
  }

  @Test
  void aPostponedScheduleIsNotDueUntilThatTime() {
    Kept kept = saveDue("a", Overlap.SKIP);
    saveDue("b", Overlap.SKIP);

    scheduleStore().putOff(kept, Duration.ofMinutes(10));

    assertThat(dueIds()).containsExactly("b");
    assertThat(scheduleStore().due(PLENTY).next().orElseThrow())
        .isBetween(Duration.ofMinutes(9), Duration.ofMinutes(10));
    passTime(Duration.ofMinutes(11));
    assertThat(dueIds()).containsExactly("a", "b");
  }

  @Test
  void aPostponedScheduleCanBeFiredAndIsDueAtItsNextTime() {
    Kept kept = saveDue("a", Overlap.SKIP);
    scheduleStore().putOff(kept, Duration.ofDays(1));

    assertThat(fire(kept).result()).isEqualTo(Settled.FIRED);
    passTime(HOUR);

    assertThat(dueIds()).containsExactly("a");
  }

  @Test
  void aScheduleThatIsWrittenAgainIsNoLongerPostponed() {
    Kept kept = saveDue("a", Overlap.SKIP);
    scheduleStore().putOff(kept, Duration.ofDays(1));

    assertThat(scheduleStore().save(kept.draft(), kept.revision())).isTrue();

    assertThat(dueIds()).containsExactly("a");
    scheduleStore().putOff(kept, Duration.ofDays(1));
    assertThat(dueIds()).containsExactly("a");
  }

  @Test
  void ofManyDueSchedulesNotAlwaysTheSameAreReturned() {
    IntStream.range(0, 20).forEach(i -> saveDue("s%02d".formatted(i), Overlap.SKIP));

    Set<List<String>> reported =
        IntStream.range(0, 30)
            .mapToObj(
                i -> scheduleStore().due(2).due().stream().map(kept -> kept.plan().id()).toList())
            .collect(Collectors.toSet());

    assertThat(reported).hasSizeGreaterThan(3).allSatisfy(ids -> assertThat(ids).hasSize(2));
  }

  @Test
  void schedulesThatWaitForTheirJobDoNotHideOtherDueSchedules() {
    IntStream.range(0, 30)
        .forEach(i -> {
          saveDue("q" + i, Overlap.QUEUE);
          firedJob("q" + i);
        });
    passTime(HOUR);
    save(plan("z", Overlap.QUEUE), Duration.ZERO, null);

    assertThat(scheduleStore().due(2).due())
        .extracting(kept -> kept.plan().id())
        .containsExactly("z");
    assertThat(scheduleStore().due(2).blocked()).isTrue();
  }
}
