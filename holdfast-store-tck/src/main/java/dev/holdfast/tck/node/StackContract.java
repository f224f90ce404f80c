package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.HoldfastException;
import dev.holdfast.api.JobRequest;
import dev.holdfast.api.NodeMode;
import dev.holdfast.api.Page;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.run.TaskHandler;
import dev.holdfast.api.schedule.FireResult;
import dev.holdfast.api.schedule.Overlap;
import dev.holdfast.api.schedule.Schedule;
import dev.holdfast.api.schedule.ScheduleStatus;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.store.ClaimRequest;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeSnapshot;
import dev.holdfast.engine.store.NodeStore.Advice;
import dev.holdfast.engine.store.NodeStore.NodeRegistration;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Stacks that share a database, and nodes with restricted modes. */
public abstract class StackContract extends NodeTestBase {
  private static final TaskType<Note, String> OTHER =
      TaskType.of("test::other", Note.class, String.class);

  private static final Trigger WHEN_PAID =
      Trigger.named("when-paid").on("paid").start(ECHO).build();

  @Test
  void jobsOfAStackRunOnNodesOfThatStack() throws Exception {
    HoldfastNode blue =
        start(node().id("blue-1").stack("blue").handle(ECHO, (note, context) -> context.node()));
    start(node().id("green-1").stack("green").handle(ECHO, (note, context) -> context.node()));
    start(node().id("plain").handle(ECHO, (note, context) -> context.node()));

    for (int i = 0; i < 20; i++) {
      Enqueued<String> job = blue.client().enqueue(ECHO, new Note("x"));
      assertThat(client().await(job, SOON)).isEqualTo("blue-1");
    }
  }

  @Test
  void jobsWithoutAStackRunOnNodesOfAnyStack() throws Exception {
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
    start(node().stack("blue").handle(ECHO, (note, context) -> "by blue"));

    assertThat(client().await(job, SOON)).isEqualTo("by blue");
  }

  @Test
  void aNodeMayServeOtherStacks() throws Exception {
    HoldfastNode green = start(node().stack("green").mode(NodeMode.TRIGGER_ONLY));
    Enqueued<String> job = green.client().enqueue(ECHO, new Note("x"));
    start(
        node()
            .stack("blue")
            .serveStacks("blue", "green")
            .handle(ECHO, (note, context) -> "by blue"));

    assertThat(client().await(job, SOON)).isEqualTo("by blue");
  }

  @Test
  void aNodeMayServeAllStacksIncludingNewOnes() throws Exception {
    Enqueued<String> ofTheDead = dieWithAJobOf("green");
    HoldfastNode all =
        start(
            quick()
                .id("all")
                .stack("blue")
                .serveAllStacks()
                .handle(ECHO, (note, context) -> context.node()));
    Enqueued<String> ofNone = client().enqueue(ECHO, new Note("of none"));
    HoldfastNode later = start(node().stack("later").mode(NodeMode.TRIGGER_ONLY));
    Enqueued<String> ofLater = later.client().enqueue(ECHO, new Note("of later"));

    assertThat(client().await(ofTheDead, SOON)).isEqualTo("all");
    assertThat(client().await(ofNone, SOON)).isEqualTo("all");
    assertThat(client().await(ofLater, SOON)).isEqualTo("all");
    assertThat(job(all.client().enqueue(ECHO, new Note("own")).id()).stack()).isEqualTo("blue");
    assertThat(client().nodes().list())
        .filteredOn(info -> info.id().equals("all"))
        .singleElement()
        .satisfies(info -> assertThat(info.serves()).containsExactly("*"));
  }

  @Test
  void theNameForAllStacksIsNotAValidStackName() {
    assertThatThrownBy(() -> node().stack("*").start())
        .hasMessageContaining("Stack '*'")
        .hasMessageContaining("serveAllStacks()");
    assertThatThrownBy(() -> node().serveStacks("blue", "*"))
        .hasMessageContaining("Stack '*'")
        .hasMessageContaining("serveAllStacks()");
  }

  @Test
  void severalTasksOfSeveralStacksAreClaimedInOrder() throws Exception {
    HoldfastNode green = start(node().stack("green").mode(NodeMode.TRIGGER_ONLY));
    Enqueued<String> one = green.client().enqueue(ECHO, new Note("1"));
    Enqueued<String> two = client().enqueue(OTHER, new Note("2"));
    Enqueued<String> three = green.client().enqueue(OTHER, new Note("3"));
    start(
        node()
            .stack("green")
            .handle(ECHO, (note, context) -> note.text())
            .handle(OTHER, (note, context) -> note.text()));

    assertThat(client().await(one, SOON)).isEqualTo("1");
    assertThat(client().await(two, SOON)).isEqualTo("2");
    assertThat(client().await(three, SOON)).isEqualTo("3");
  }

  private static Schedule frequent(String id) {
    return Schedule.named(id)
        .runs(ECHO, new Note("of a schedule"))
        .every(Duration.ofMillis(50))
        .overlap(Overlap.ALLOW)
        .build();
  }

  private boolean hasFired(String schedule) {
    return client().schedules().find(schedule).map(ScheduleStatus::lastFire).isPresent();
  }

  @Test
  void schedulesOfAStackCreateJobsOfThatStackRegardlessOfTheFiringNode() throws Exception {
    Set<String> ranScheduled = ConcurrentHashMap.newKeySet();
    TaskHandler<Note, String> handler =
        (note, context) -> {
          if (!note.text().equals("marker")) {
            ranScheduled.add(context.node());
          }
          return context.node();
        };
    start(node().id("green-1").stack("green").handle(ECHO, handler));
    start(node().id("plain").handle(ECHO, handler));
    HoldfastNode blue =
        start(
            node()
                .id("blue-1")
                .stack("blue")
                .mode(NodeMode.TRIGGER_ONLY)
                .handle(ECHO, handler)
                .recurring(frequent("declared")));
    blue.client().schedules().put(frequent("put"));
    await().atMost(SOON).until(() -> hasFired("declared") && hasFired("put"));
    FireResult fired = client().schedules().fire("put");
    assertThat(fired).isInstanceOf(FireResult.Fired.class);

    // A node that runs this job has passed the older ones.
    client().await(client().enqueue(ECHO, new Note("marker")), SOON);
    assertThat(ranScheduled).isEmpty();

    blue.mode(NodeMode.FULL);
    awaitState(((FireResult.Fired) fired).job(), JobState.SUCCEEDED);
    assertThat(ranScheduled).containsExactly("blue-1");
  }

  @Test
  void aTriggerOnlyNodeEnqueuesJobsAndAFullNodeRunsThem() throws Exception {
    HoldfastNode front =
        start(
            node()
                .id("front")
                .mode(NodeMode.TRIGGER_ONLY)
                .handle(ECHO, (note, context) -> context.node()));
    Enqueued<String> job = front.client().enqueue(ECHO, new Note("x"));
    assertThat(job(job.id()).state()).isEqualTo(JobState.READY);

    HoldfastNode back = start(node().id("back").handle(ECHO, (note, context) -> context.node()));

    assertThat(client().await(job, SOON)).isEqualTo("back");
    assertThat(job(job.id()).source()).isEqualTo("front");
    Enqueued<String> own = back.client().enqueue(ECHO, new Note("x"));
    assertThat(job(own.id()).source()).as("a node that runs such jobs itself").isNull();
  }

  /** Claims a job of a stack with a node of that stack that never sends a heartbeat. */
  private Enqueued<String> dieWithAJobOf(String stack) {
    HoldfastNode maker = start(node().stack(stack).mode(NodeMode.TRIGGER_ONLY));
    Enqueued<String> job = maker.client().enqueue(ECHO, new Note("of " + stack));
    maker.close();
    NodeRegistration plain = registration("dead-" + stack, SILENCE, Advice.NONE);
    store().nodes().register(plain);
    assertThat(
            store()
                .claims()
                .claim(
                    new ClaimRequest(
                        plain.incarnation(),
                        1,
                        "default",
                        List.of(ECHO.name()),
                        1,
                        0,
                        null,
                        ClaimRequest.Suspects.NONE,
                        Set.of(stack))))
        .hasSize(1);
    return job;
  }

  @Test
  void aNodeRecoversOnlyJobsOfItsStackAndJobsWithoutAStack() throws Exception {
    Enqueued<String> blue = dieWithAJobOf("blue");
    Enqueued<String> green = dieWithAJobOf("green");
    Enqueued<String> none = client().enqueue(ECHO, new Note("of none"));
    dieWithClaimedJobs(1, 0);
    start(quick().stack("green").handle(ECHO, (note, context) -> "by green"));

    assertThat(client().await(none, SOON)).isEqualTo("by green");
    assertThat(client().await(green, SOON)).isEqualTo("by green");
    await()
        .atMost(SOON)
        .until(() ->
            store().nodes().list().stream()
                .filter(status -> status.registration().id().startsWith("dead-"))
                .noneMatch(NodeSnapshot::alive));
    assertThat(job(blue.id()).state()).as("its node is dead").isEqualTo(JobState.RUNNING);

    start(quick().stack("blue").handle(ECHO, (note, context) -> "by blue"));
    assertThat(client().await(blue, SOON)).isEqualTo("by blue");
  }

  @Test
  void eachNodeConfiguresWhichTasksItRunsRegardlessOfTheStack() throws Exception {
    TaskType<Note, String> shout = TaskType.of("test::shout", Note.class, String.class);
    HoldfastNode echoing = start(node().stack("blue").handle(ECHO, (note, context) -> "blue"));
    start(
        node()
            .stack("green")
            .handle(ECHO, (note, context) -> "green")
            .handle(shout, (note, context) -> "GREEN"));
    Enqueued<String> echo = echoing.client().enqueue(ECHO, new Note("x"));
    Enqueued<String> loud = echoing.client().enqueue(shout, new Note("x"));

    assertThat(client().await(echo, SOON)).isEqualTo("blue");
    assertThat(job(loud.id()).state()).isEqualTo(JobState.READY);
    start(node().stack("blue").handle(shout, (note, context) -> "BLUE"));
    assertThat(client().await(loud, SOON)).isEqualTo("BLUE");
  }

  @Test
  void aTriggerOnlyNodeSweepsAndFiresAndRunsNothing() {
    Enqueued<String> ofTheDead = client().enqueue(ECHO, new Note("x"));
    dieWithClaimedJobs(1, 0);
    start(
        quick()
            .id("front")
            .stack("blue")
            .mode(NodeMode.TRIGGER_ONLY)
            .handle(ECHO, (note, context) -> "never")
            .recurring(frequent("declared"))
            .trigger(WHEN_PAID));

    awaitState(ofTheDead.id(), JobState.READY);
    await().atMost(SOON).until(() -> hasFired("declared"));
    assertThat(client().triggers().list()).hasSize(1);
    List<Job> jobs = client().list(JobFilter.all(), Page.first(1_000));
    assertThat(jobs).allSatisfy(job -> assertThat(job.state()).isEqualTo(JobState.READY));
    assertThat(jobs)
        .filteredOn(job -> job.tags().contains("schedule:declared"))
        .isNotEmpty()
        .allSatisfy(job -> {
          assertThat(job.source()).isEqualTo("front");
          assertThat(job.stack()).isEqualTo("blue");
        });
  }

  @Test
  void aDisabledNodeNeitherRunsNorFiresNorSweepsNorDeclaresUntilItIsEnabled() {
    Enqueued<String> ofTheDead = client().enqueue(ECHO, new Note("held"));
    dieWithClaimedJobs(1, 0);
    Enqueued<String> waiting = client().enqueue(ECHO, new Note("waiting"));
    client().schedules().put(frequent("put"));
    HoldfastNode canary =
        start(
            quick()
                .id("canary")
                .mode(NodeMode.DISABLED)
                .handle(ECHO, (note, context) -> "done")
                .recurring(frequent("declared"))
                .trigger(WHEN_PAID));

    // Long enough for the node to declare another node dead, if it swept.
    await().atMost(SOON).until(() -> heartbeatsOf(canary) >= 10);
    assertThat(job(waiting.id()).state()).isEqualTo(JobState.READY);
    assertThat(job(ofTheDead.id()).state()).isEqualTo(JobState.RUNNING);
    assertThat(hasFired("put")).isFalse();
    assertThat(client().schedules().find("declared")).isEmpty();
    assertThat(client().triggers().list()).isEmpty();

    client().nodes().mode("canary", NodeMode.FULL);

    awaitState(waiting.id(), JobState.SUCCEEDED);
    awaitState(ofTheDead.id(), JobState.SUCCEEDED);
    await().atMost(SOON).until(() -> hasFired("put") && hasFired("declared"));
    await().atMost(SOON).until(() -> client().triggers().list().size() == 1);
  }

  @Test
  void aDisabledNodeAcceptsNoWork() {
    HoldfastNode canary = start(node().id("canary").handle(ECHO, (note, context) -> "never"));
    Holdfast own = canary.client();
    own.triggers().put(WHEN_PAID);
    own.schedules().put(frequent("put"));
    canary.mode(NodeMode.DISABLED);

    List<ThrowingCallable> requests =
        List.of(
            () -> own.enqueue(ECHO, new Note("x")),
            () -> own.enqueueAll(List.of(JobRequest.of(ECHO, new Note("x")))),
            () -> own.publish("paid", new Note("x")),
            () -> own.schedules().put(frequent("another")),
            () -> own.schedules().fire("put"));

    assertThat(requests)
        .allSatisfy(request ->
            assertThatThrownBy(request)
                .isInstanceOf(HoldfastException.class)
                .hasMessage(
                    "Node canary is disabled and accepts no jobs of task 'test::echo': use a client"
                        + " without a node, or switch the node to trigger-only or full."));
    canary.mode(NodeMode.TRIGGER_ONLY);
    canary.mode("test::*", NodeMode.DISABLED);
    assertThatThrownBy(requests.get(0)).isInstanceOf(HoldfastException.class);
    canary.clearModes();
    assertThat(job(own.enqueue(ECHO, new Note("x")).id()).source()).isEqualTo("canary");
  }

  @Test
  void aClientCanChangeTheModeOfALiveNode() throws Exception {
    HoldfastNode node = start(node().id("n").handle(ECHO, (note, context) -> "done"));
    assertThat(client().nodes().mode("n", NodeMode.TRIGGER_ONLY)).isEqualTo(1);
    await().atMost(SOON).until(() -> node.modes().node() == NodeMode.TRIGGER_ONLY);
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));

    assertThat(client().nodes().mode("n", NodeMode.FULL)).isEqualTo(1);

    assertThat(client().await(job, SOON)).isEqualTo("done");
    assertThat(client().nodes().mode("nobody", NodeMode.FULL)).isZero();
  }

  @Test
  void modeOverridesAreSetByPatternAndCleared() throws Exception {
    HoldfastNode node =
        start(
            node()
                .id("n")
                .mode(NodeMode.TRIGGER_ONLY)
                .handle(ECHO, (note, context) -> "echo")
                .handle(OTHER, (note, context) -> "other"));
    node.mode("test::other", NodeMode.FULL);
    Enqueued<String> echo = client().enqueue(ECHO, new Note("x"));
    Enqueued<String> other = client().enqueue(OTHER, new Note("x"));

    assertThat(client().await(other, SOON)).isEqualTo("other");
    assertThat(job(echo.id()).state()).isEqualTo(JobState.READY);
    Modes expected = new Modes(NodeMode.TRIGGER_ONLY, Map.of("test::other", NodeMode.FULL));
    assertThat(client().nodes().list())
        .singleElement()
        .satisfies(info -> {
          assertThat(info.id()).isEqualTo("n");
          assertThat(info.incarnation()).isEqualTo(node.incarnation());
          assertThat(info.alive()).isTrue();
          assertThat(new Modes(info.mode(), info.modeOverrides())).isEqualTo(expected);
          assertThat(info.tasks()).containsExactlyInAnyOrder(ECHO.name(), OTHER.name());
        });
    // The reply to a heartbeat in progress may be older than the change. The next reply is not.
    await().atMost(SOON).until(() -> node.modes().equals(expected));

    node.mode("test::*", NodeMode.DISABLED);
    node.clearMode("test::other");
    assertThat(node.modes().overrides()).containsOnlyKeys("test::*");
    node.clearModes();
    node.mode(NodeMode.FULL);

    assertThat(client().await(echo, SOON)).isEqualTo("echo");
  }

  @Test
  void anUnknownModeIsRejected() {
    assertThat(NodeMode.parse(" Trigger-Only ")).isEqualTo(NodeMode.TRIGGER_ONLY);
    assertThatThrownBy(() -> NodeMode.parse("half"))
        .hasMessage("Mode 'half' does not exist: give one of full, trigger-only, disabled.");
    HoldfastNode node = start(node());
    assertThatThrownBy(() -> node.mode("Not::Valid", NodeMode.FULL))
        .hasMessageContaining("Not::Valid");
    assertThat(node.modes()).isEqualTo(Modes.FULL);
  }
}
