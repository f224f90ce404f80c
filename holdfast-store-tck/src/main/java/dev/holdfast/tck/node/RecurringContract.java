package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.Page;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.run.TaskContext;
import dev.holdfast.api.run.TaskHandler;
import dev.holdfast.api.schedule.FireResult;
import dev.holdfast.api.schedule.Misfire;
import dev.holdfast.api.schedule.Overlap;
import dev.holdfast.api.schedule.PutResult;
import dev.holdfast.api.schedule.Recurrence;
import dev.holdfast.api.schedule.Recurring;
import dev.holdfast.api.schedule.Schedule;
import dev.holdfast.api.schedule.ScheduleStatus;
import dev.holdfast.api.schedule.Timing;
import dev.holdfast.api.task.RecoveryPolicy;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.intake.ClientSettings;
import dev.holdfast.engine.intake.JobOrigin;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.schedule.Planner;
import dev.holdfast.engine.schedule.Registrar;
import dev.holdfast.engine.store.NewJob.Stamp;
import dev.holdfast.engine.store.SchedulePlan;
import dev.holdfast.engine.store.ScheduleStore.Draft;
import dev.holdfast.engine.store.ScheduleStore.FireOrder;
import dev.holdfast.engine.store.ScheduleStore.FireReport;
import dev.holdfast.engine.store.Store;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.tck.contract.Worker;
import dev.holdfast.tck.fault.FaultyStore;
import dev.holdfast.tck.fault.StoreMethod;
import dev.holdfast.tck.simulation.Interposed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Schedules on real nodes. */
public abstract class RecurringContract extends NodeTestBase {
  private static final Moment ANY_TIME = new Moment(0);
  private static final Moment LATER = ANY_TIME.plus(Duration.ofMinutes(5));

  private static Schedule.Builder tick(String id, Duration interval) {
    return Schedule.named(id).runs(ECHO, new Note(id)).every(interval);
  }

  private static Schedule yearly(String id, String text) {
    return Schedule.named(id).runs(ECHO, new Note(text)).cron("0 0 1 1 *").build();
  }

  private List<String> ids() {
    return client().schedules().list().stream().map(ScheduleStatus::id).toList();
  }

  private ScheduleStatus status(String id) {
    return client().schedules().find(id).orElseThrow();
  }

  @Test
  void aRecurringTaskFiresAndRunsRepeatedly() {
    AtomicInteger runs = new AtomicInteger();
    start(node().handle(ECHO, (note, context) -> "run " + runs.incrementAndGet()));

    assertThat(client().schedules().put(tick("beat", Duration.ofMillis(100)).build()))
        .isEqualTo(PutResult.CREATED);

    await().atMost(SOON).until(() -> runs.get() >= 3);
    assertThat(client().schedules().cancel("beat")).isTrue();
    assertThat(client().list(JobFilter.all(), Page.first(1)).getFirst().tags())
        .contains("schedule:beat");
  }

  @Test
  void eachOfSeveralNodesFiresSometimes() {
    // Wrap the stores before the nodes start: nodes on separate wrappers do not receive each
    // other's signals.
    client().schedules().put(tick("beat", Duration.ofMillis(300)).build());
    List<AtomicInteger> fired = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      AtomicInteger wins = new AtomicInteger();
      fired.add(wins);
      Store counting =
          Interposed.on(
              store(),
              call -> {
                Object result = call.proceed();
                if (result instanceof FireReport report && !report.created().isEmpty()) {
                  wins.incrementAndGet();
                }
                return result;
              });
      start(node(counting).id("node-" + i).handle(ECHO, (note, context) -> "done"));
    }

    await().atMost(SOON).untilAsserted(() -> assertThat(fired).allMatch(wins -> wins.get() > 0));
  }

  @Test
  void severalNodesFireOncePerDueTime() {
    AtomicInteger runs = new AtomicInteger();
    for (int i = 0; i < 3; i++) {
      start(node().id("node-" + i).handle(ECHO, (note, context) -> "" + runs.incrementAndGet()));
    }
    client()
        .schedules()
        .put(
            tick("beat", Duration.ofMillis(100))
                .overlap(Overlap.ALLOW)
                .misfire(Misfire.catchUp(1_000))
                .build());

    await().atMost(SOON).until(() -> runs.get() >= 20);
    client().schedules().pause("beat");

    assertThat(client().count(JobFilter.all()).total()).isEqualTo(settledDueTimes("beat"));
  }

  /** Returns the number of due times up to the last one that was fired. */
  private long settledDueTimes(String id) {
    var kept = store().schedules().look(id).kept().orElseThrow();
    Instant last = Objects.requireNonNull(kept.lastFire());
    return Duration.between(kept.draft().anchor(), last).toMillis() / 100;
  }

  @Recurring(id = "annotated", every = "PT0.1S", payload = "{\"text\":\"by annotation\"}")
  private static final class Annotated implements TaskHandler<Note, String> {
    final Set<String> seen = ConcurrentHashMap.newKeySet();

    @Override
    public String handle(Note note, TaskContext context) {
      seen.add(note.text());
      return note.text();
    }
  }

  @Test
  void anAnnotatedHandlerRunsOnItsSchedule() {
    Annotated handler = new Annotated();
    start(node().application("shop").handle(ECHO, handler));

    await().atMost(SOON).until(() -> handler.seen.contains("by annotation"));
    assertThat(status("annotated").application()).isEqualTo("shop");
  }

  @Test
  void anAnnotatedHandlerWithARecoveryPolicyRunsOnItsSchedule() {
    Annotated handler = new Annotated();
    start(node().handle(ECHO, handler, crash -> new RecoveryPolicy.Decision.Fail("no")));

    await().atMost(SOON).until(() -> handler.seen.contains("by annotation"));
  }

  @Test
  void aRedeploymentRegistersNewSchedulesAndCancelsRemovedOnes() {
    client().schedules().put(yearly("by-client", "x"));
    var first =
        start(
            node()
                .application("shop")
                .recurring(yearly("gone", "x"))
                .recurring(yearly("changed", "old")));
    start(node().application("billing").recurring(yearly("foreign", "x")));
    await().atMost(SOON).until(() -> ids().size() == 4);
    first.close();

    start(
        node()
            .application("shop")
            .recurring(yearly("changed", "new"))
            .recurring(yearly("added", "x")));

    await()
        .atMost(SOON)
        .until(() -> ids().equals(List.of("added", "by-client", "changed", "foreign")));
    await().atMost(SOON).until(() -> String.valueOf(status("changed").payload()).contains("new"));
  }

  @Test
  void schedulesThatOnlyADeregisteringNodeDeclaresAreCancelledAtOnce() {
    start(node().id("young").application("shop").recurring(yearly("stays", "x")));
    var old =
        start(
            node()
                .id("old")
                .application("shop")
                .recurring(yearly("stays", "x"))
                .recurring(yearly("gone", "x")));
    await().atMost(SOON).until(() -> ids().equals(List.of("gone", "stays")));

    old.close();

    await().atMost(SOON).until(() -> ids().equals(List.of("stays")));
  }

  @Test
  void aPausedScheduleOfARestartedNodeIsNotChangedByNodesThatDoNotDeclareIt() {
    Registrar other = registrar(join("other"), yearly("stays", "x"));
    other.tick(ANY_TIME);
    FaultyStore faulty = new FaultyStore(store());
    HoldfastNode node =
        start(node(faulty).id("fenced").application("shop").recurring(yearly("paused", "x")));
    await().atMost(SOON).until(() -> ids().contains("paused"));
    assertThat(client().schedules().pause("paused")).isTrue();
    UUID before = node.incarnation();

    // The new incarnation does not declare its schedules again before the other node looks.
    for (int i = 0; i < 1_000; i++) {
      faulty.failNext(StoreMethod.DECLARE);
    }
    assertThat(client().nodes().fence("fenced")).isEqualTo(1);
    await().atMost(SOON).until(() -> !node.incarnation().equals(before));
    other.tick(LATER);

    assertThat(ids()).contains("paused");
    assertThat(status("paused").paused()).isTrue();
  }

  private Registrar registrar(Worker worker, Schedule... declared) {
    return registrar(worker, JobOrigin.NONE, declared);
  }

  private Registrar registrar(Worker worker, JobOrigin origin, Schedule... declared) {
    Planner planner = new Planner(new JsonCodec(), 1_000, origin);
    List<SchedulePlan> plans = Arrays.stream(declared).map(planner::plan).toList();
    return new Registrar(
        store().schedules(),
        new SignalBus(ClusterCoordinator.none()),
        worker::incarnation,
        "shop",
        plans,
        queue -> {},
        () -> {});
  }

  private Worker join(String name) {
    return Worker.join(store(), name, "default", ECHO.name());
  }

  @Test
  void twoVersionsSideBySideDoNotAlternate() {
    Schedule[] v1 = {yearly("gone", "x"), yearly("changed", "old")};
    Schedule[] v2 = {yearly("changed", "new"), yearly("added", "x")};
    Worker oldNode = join("old");
    registrar(oldNode, v1).tick(ANY_TIME);
    Worker newNode = join("new");
    registrar(newNode, v2).tick(ANY_TIME);
    long settled = revisions();

    // Nodes of both versions restart and declare again, in any order.
    Worker oldAgain = join("old-again");
    for (int i = 0; i < 3; i++) {
      registrar(oldAgain, v1).tick(ANY_TIME);
      registrar(newNode, v2).tick(ANY_TIME);
      registrar(oldNode, v1).tick(ANY_TIME);
    }

    assertThat(revisions()).isEqualTo(settled);
    assertThat(ids()).containsExactly("added", "changed", "gone");
    assertThat(status("changed").payload()).contains("new");

    oldNode.leave();
    oldAgain.leave();
    registrar(newNode, v2).tick(ANY_TIME);
    assertThat(ids()).containsExactly("added", "changed");
  }

  @Test
  void aRollbackTakesEffectWhenTheLastNodeOfTheNewVersionHasStopped() {
    Worker oldNode = join("old");
    registrar(oldNode, yearly("changed", "old")).tick(ANY_TIME);
    Worker newNode = join("new");
    registrar(newNode, yearly("changed", "new"), yearly("added", "x")).tick(ANY_TIME);
    oldNode.leave();
    Worker back = join("back");
    registrar(back, yearly("changed", "old")).tick(ANY_TIME);
    assertThat(status("changed").payload()).contains("new");

    newNode.leave();
    registrar(back, yearly("changed", "old")).tick(ANY_TIME);

    assertThat(status("changed").payload()).contains("old");
    assertThat(ids()).containsExactly("changed");
  }

  @Test
  void ofTwoStacksThatDeclareAScheduleTheLaterOneOwnsIt() {
    JobOrigin blue = task -> new Stamp("blue", null);
    JobOrigin green = task -> new Stamp("green", null);
    Worker blueNode = join("blue");
    registrar(blueNode, blue, yearly("a", "x")).tick(ANY_TIME);
    assertThat(stackOf("a")).isEqualTo("blue");
    Worker greenNode = join("green");

    registrar(greenNode, green, yearly("a", "x")).tick(ANY_TIME);
    registrar(blueNode, blue, yearly("a", "x")).tick(ANY_TIME);
    assertThat(stackOf("a")).isEqualTo("green");

    greenNode.leave();
    registrar(blueNode, blue, yearly("a", "x")).tick(ANY_TIME);
    assertThat(stackOf("a")).isEqualTo("blue");
  }

  private @Nullable String stackOf(String id) {
    return store().schedules().look(id).kept().orElseThrow().plan().job().stack();
  }

  @Test
  void aCancelledDeclaredScheduleStaysCancelledUntilItsDeclarationChanges() {
    Worker node = join("node");
    registrar(node, yearly("a", "x")).tick(ANY_TIME);
    assertThat(client().schedules().cancel("a")).isTrue();

    registrar(node, yearly("a", "x")).tick(ANY_TIME);
    assertThat(ids()).isEmpty();

    registrar(node, yearly("a", "y")).tick(ANY_TIME);
    assertThat(ids()).containsExactly("a");
  }

  private long revisions() {
    return store().schedules().list().stream().mapToLong(kept -> kept.revision()).sum();
  }

  @Test
  void aScheduleOfAClientCanBeFoundChangedPausedAndFired() {
    var schedules = client().schedules();
    Schedule daily =
        Schedule.named("daily")
            .runs(ECHO, new Note("x"))
            .cron("0 3 * * *", "Europe/Berlin")
            .build();
    assertThat(schedules.put(daily)).isEqualTo(PutResult.CREATED);
    assertThat(schedules.put(daily)).isEqualTo(PutResult.UNCHANGED);
    Instant next = status("daily").nextFire();
    assertThat(
            schedules.put(
                Schedule.named("daily")
                    .runs(ECHO, new Note("y"))
                    .cron("0 3 * * *", "Europe/Berlin")
                    .tags("night")
                    .build()))
        .isEqualTo(PutResult.CHANGED);
    assertThat(status("daily").nextFire()).isEqualTo(next);
    assertThat(schedules.next("daily", 3)).hasSize(3).startsWith(next).isSorted();

    assertThat(schedules.pause("daily")).isTrue();
    assertThat(status("daily").paused()).isTrue();
    assertThat(schedules.fire("daily")).isInstanceOf(FireResult.Fired.class);
    assertThat(schedules.fire("daily")).isInstanceOf(FireResult.Overlapped.class);
    assertThat(client().count(JobFilter.all().state(JobState.READY)).byState())
        .containsEntry(JobState.READY, 1L);
    assertThat(schedules.resume("daily")).isTrue();
    assertThat(status("daily").paused()).isFalse();
    assertThat(schedules.cancelTagged("night")).isEqualTo(1);
    assertThat(schedules.find("daily")).isEmpty();
    assertThat(schedules.pause("daily")).isFalse();
    assertThat(schedules.fire("daily")).isInstanceOf(FireResult.NotFound.class);
    assertThat(schedules.next("daily", 3)).isEmpty();
  }

  @Test
  void invalidSchedulesAreRejectedWithTheRemedyAndNothingIsChanged() {
    var schedules = client().schedules();
    var work = Schedule.named("bad").runs(ECHO, new Note("x"));
    Instant now = Instant.now();

    assertThatThrownBy(() -> schedules.put(work.cron("61 * * * *").build()))
        .hasMessageContaining("'61 * * * *'")
        .hasMessageContaining("five fields");
    assertThatThrownBy(() -> work.cron("0 3 * * *", "Mars/Olympus"))
        .hasMessageContaining("'Mars/Olympus'")
        .hasMessageContaining("Europe/Berlin");
    assertThatThrownBy(() -> work.every(Duration.ZERO))
        .hasMessageContaining("0 s")
        .hasMessageContaining("positive");
    assertThatThrownBy(() -> work.cron("0 3 * * *").from(now).until(now.minusSeconds(1)).build())
        .hasMessageContaining("end after the start");
    assertThatThrownBy(() -> Misfire.parse("SOMETIMES"))
        .hasMessageContaining("'SOMETIMES'")
        .hasMessageContaining("FIRE_ONCE");
    assertThatThrownBy(() -> schedules.put(work.cron("0 0 30 2 *").build()))
        .hasMessageContaining("never be due");
    assertThatThrownBy(() -> schedules.next("bad", 0)).hasMessageContaining("1 to 1000");
    assertThatThrownBy(() -> node().recurring(work.cron("often").build()).start())
        .hasMessageContaining("'often'");
    assertThat(schedules.list()).isEmpty();
  }

  @Test
  void aStrictClientRejectsAScheduleForAQueueThatNoNodeServes() {
    Schedule misspelt = tick("a", Duration.ofHours(1)).queue("mial").build();
    try (HoldfastClient strict =
        HoldfastClient.on(
            store(), new JsonCodec(), ClientSettings.DEFAULT.with(s -> s.strictQueues(true)))) {
      assertThatThrownBy(() -> strict.schedules().put(misspelt))
          .hasMessageContaining("'mial'")
          .hasMessageContaining("start a node");
      assertThat(ids()).isEmpty();
      assertThat(client().schedules().put(misspelt)).isEqualTo(PutResult.CREATED);

      start(node().queue("mial", 1).handle(ECHO, (note, context) -> null));
      assertThat(strict.schedules().put(misspelt)).isEqualTo(PutResult.UNCHANGED);
    }
  }

  @Test
  void aDeclaredScheduleIsCreatedEvenIfNoNodeServesItsQueueYet() {
    start(
        node()
            .client(ClientSettings.DEFAULT.with(s -> s.strictQueues(true)))
            .recurring(tick("a", Duration.ofHours(1)).queue("later").build()));

    await().atMost(SOON).until(() -> ids().equals(List.of("a")));
  }

  @Test
  void aDeclaredScheduleCannotBePutByAClient() {
    registrar(join("node"), yearly("mine", "x")).tick(ANY_TIME);

    assertThatThrownBy(() -> client().schedules().put(yearly("mine", "y")))
        .hasMessageContaining("'shop'")
        .hasMessageContaining("another id");
  }

  @Test
  void aRecurringTaskWithAnUnreadablePayloadFailsTheStartWithTheRemedy() {
    TaskType<Integer, String> number = TaskType.of("test::number", Integer.class, String.class);

    @Recurring(id = "numbers", cron = "0 3 * * *")
    final class Numbers implements TaskHandler<Integer, String> {
      @Override
      public String handle(Integer payload, TaskContext context) {
        return "";
      }
    }

    assertThatThrownBy(() -> node().handle(number, new Numbers()).start())
        .hasMessageContaining("'{}'")
        .hasMessageContaining("numbers")
        .hasMessageContaining("Integer");
  }

  @Test
  void schedulesThatFailToFireDoNotPreventOthersFromFiring() {
    Instant due = Instant.now().minus(Duration.ofHours(1));
    FaultyStore faulty =
        new FaultyStore(store())
            .before(
                StoreMethod.FIRE,
                arguments -> {
                  if (((FireOrder) arguments.getFirst()).seen().plan().id().startsWith("bad")) {
                    throw new IllegalStateException("cannot be fired");
                  }
                });
    for (int i = 0; i < 250; i++) {
      saveDue("bad-%03d".formatted(i), due);
    }
    saveDue("good", due.plusSeconds(1));
    List<String> ran = new CopyOnWriteArrayList<>();

    start(
        node(faulty)
            .handle(
                ECHO,
                (note, context) -> {
                  ran.add(note.text());
                  return "";
                }));

    await().atMost(SOON).until(() -> ran.contains("good"));
    assertThat(ran).containsOnly("good");
    assertThat(faulty.calls(StoreMethod.FIRE)).isLessThan(1_500);
  }

  private void saveDue(String id, Instant due) {
    SchedulePlan plan =
        new SchedulePlan(
            id,
            Recurrence.of(new Timing.Every(Duration.ofDays(1))),
            new SchedulePlan.JobTemplate(
                ECHO.name(),
                "default",
                4,
                "{\"text\":\"%s\"}".formatted(id),
                Set.of(),
                null,
                null,
                null));
    assertThat(store().schedules().save(new Draft(plan, null, false, due, due), null)).isTrue();
  }
}
