package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.Page;
import dev.holdfast.api.RunStateException;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.MaxActive;
import dev.holdfast.api.workflow.OnError;
import dev.holdfast.api.workflow.Rule;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunFilter;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.RunStep;
import dev.holdfast.api.workflow.Step;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.intake.ClientSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Retries and reruns of runs with children, runs that are replaced, and runs that grow large. */
public abstract class RunReplayContract extends RunTestBase {
  private static final Workflow<Note, Note> CHILD =
      Workflow.defineWithResult(
          "test::replay-child",
          Note.class,
          flow -> {
            Step<Note> first = flow.step("first", SAY, flow.input());
            return flow.step("second", SAY, first);
          });

  private static final Workflow<Note, Void> PARENT =
      Workflow.define(
          "test::replay-parent",
          Note.class,
          flow -> {
            var good =
                flow.workflow(
                    "good", CHILD, flow.constant(new Note("good"), TypeRef.of(Note.class)));
            var bad = flow.workflow("bad", CHILD, flow.input()).after(good);
            flow.step("after", SAY, flow.constant(new Note("after"), TypeRef.of(Note.class)))
                .after(bad);
          });

  /** Starts a run whose second child fails in its second step. */
  private RunId failedParent() {
    broken.add("bad!");
    start(worker());
    RunId id = client().runs().start(PARENT, new Note("bad")).id();
    awaitRun(id, RunState.FAILED);
    return id;
  }

  private RunId childOf(RunId parent, String step) {
    return step(run(parent), step).child().orElseThrow();
  }

  private List<RunEvent> eventsOf(RunId id) {
    return client().runs().events(id, Page.first(1_000));
  }

  @Test
  void aRetryOfTheParentRepeatsOnlyWhatFailedInTheFailedChild() {
    RunId parent = failedParent();
    RunId good = childOf(parent, "good");
    RunId bad = childOf(parent, "bad");
    List<RunEvent> before = eventsOf(good);
    broken.clear();
    log.clear();

    client().runs().retry(parent);

    Run run = awaitRun(parent, RunState.SUCCEEDED);
    assertThat(log).containsExactly("bad!", "after");
    assertThat(childOf(parent, "good")).isEqualTo(good);
    assertThat(childOf(parent, "bad")).isEqualTo(bad);
    assertThat(eventsOf(good)).isEqualTo(before);
    assertThat(run(bad).state()).isEqualTo(RunState.SUCCEEDED);
    assertThat(run.steps()).extracting(RunStep::state).containsOnly(StepState.SUCCEEDED);
  }

  @Test
  void aFailedChildStaysFailedUnlessItsParentIsRetried() {
    RunId parent = failedParent();
    RunId bad = childOf(parent, "bad");
    broken.clear();
    log.clear();

    assertThatThrownBy(() -> client().runs().retry(bad))
        .isInstanceOf(RunStateException.class)
        .hasMessageContaining(parent.toString());
    assertThatThrownBy(() -> client().runs().resume(bad)).isInstanceOf(RunStateException.class);
    assertThatThrownBy(() -> client().runs().signal(bad, "go", null))
        .isInstanceOf(RunStateException.class);
    client().runs().recoverStuck();
    start(worker());
    RunId other = client().runs().start(CHILD, new Note("other")).id();
    awaitRun(other, RunState.SUCCEEDED);

    assertThat(run(bad).state()).isEqualTo(RunState.FAILED);
    assertThat(stateOf(run(bad), "second")).isEqualTo(StepState.FAILED);
    assertThat(log).containsExactly("other", "other!");
  }

  @Test
  void aRerunOfTheParentTakesTheResultsOfFinishedChildrenOver() {
    start(worker());
    RunId parent = client().runs().start(PARENT, new Note("bad")).id();
    awaitRun(parent, RunState.SUCCEEDED);
    log.clear();

    RunId again = client().runs().rerun(parent, List.of("after"), null);

    awaitRun(again, RunState.SUCCEEDED);
    assertThat(log).containsExactly("after");
    assertThat(run(again).step("good").orElseThrow().output())
        .isEqualTo(run(parent).step("good").orElseThrow().output());
  }

  @Test
  void aRerunReadsTheListOfAMapThatItKeepsInALaterStep() {
    TypeRef<List<Note>> notes = new TypeRef<>() {};
    TaskType<List<Note>, Note> join =
        TaskType.of("runs::join", notes, TypeRef.of(Note.class))
            .with(job -> job.retry(RetryPolicy.fixed(Duration.ZERO).maxAttempts(1)));
    Workflow<List<Note>, Void> workflow =
        Workflow.define(
            "test::rerun-map",
            notes,
            f -> {
              Step<List<Note>> map = f.map("map", SAY, f.input()).tolerateFailures(1);
              Step<Note> between =
                  f.step("between", SAY, f.constant(new Note("between"), TypeRef.of(Note.class)))
                      .after(map);
              f.step("join", join, map).after(between);
            });
    broken.add("c");
    start(
        worker()
            .handle(
                join,
                (list, context) -> {
                  log.add("joined " + list);
                  return new Note("done");
                }));
    RunId original =
        client().runs().start(workflow, List.of(new Note("a"), new Note("b"), new Note("c"))).id();
    awaitRun(original, RunState.SUCCEEDED);
    String joined = log.getLast();
    log.clear();

    RunId again = client().runs().rerun(original, List.of("between"), null);

    awaitRun(again, RunState.SUCCEEDED);
    assertThat(log).containsExactly("between", joined);
    assertThat(step(run(again), "map").map()).isEqualTo(step(run(original), "map").map());
  }

  private static final TypeRef<List<Note>> NOTES = new TypeRef<>() {};

  /** A step, one that is skipped, a map, and a step that reads the first one. */
  private static final Workflow<Note, Void> EDITED =
      Workflow.define(
          "test::rerun-edited",
          Note.class,
          f -> {
            Step<Note> first = f.step("first", SAY, f.input()).onError(OnError.CONTINUE);
            Step<Note> never = f.step("never", SAY, first).when(Rule.anyFailed());
            Step<List<Note>> map = f.map("map", SAY, f.constant(List.of(), NOTES));
            f.step("second", SAY, first).after(never).after(map).when(Rule.noneFailed());
          });

  @Test
  void aRerunReplacesOutputsOfStepsThatItKeeps() {
    start(worker());
    RunId original = client().runs().start(EDITED, new Note("x")).id();
    awaitRun(original, RunState.SUCCEEDED);
    log.clear();

    RunId again =
        client()
            .runs()
            .rerun(
                original, rerun -> rerun.from("second").output("first", "{\"text\":\"edited\"}"));

    Run run = awaitRun(again, RunState.SUCCEEDED);
    assertThat(log).containsExactly("edited");
    assertThat(step(run, "first").output()).hasValue("{\"text\":\"edited\"}");
    assertThat(step(run(original), "first").output()).hasValue("{\"text\":\"x!\"}");
    assertThat(eventsOf(again))
        .filteredOn(event -> "first".equals(event.step()))
        .extracting(RunEvent::detail)
        .containsExactly("with an output that was given with the rerun");
  }

  @Test
  void aRerunRefusesOutputsThatItCannotReplaceAndTextsThatAreTooLarge() {
    start(worker());
    RunId original = client().runs().start(EDITED, new Note("x")).id();
    awaitRun(original, RunState.SUCCEEDED);
    String large = "\"%s\"".formatted("x".repeat(ClientSettings.DEFAULT.payloadLimit()));

    assertRefused(original, "frist", "{}", "has no step 'frist': did you mean 'first'?");
    assertRefused(original, "second", "{}", "'second' cannot be replaced", "runs again");
    assertRefused(original, "map", "[]", "'map' cannot be replaced", "is a map");
    assertRefused(original, "never", "{}", "'never' cannot be replaced", "was skipped");
    assertRefused(original, "first", large, "step 'first' has", "bytes");
    assertThatThrownBy(() -> client().runs().rerun(original, List.of(), large))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("workflow 'test::rerun-edited' has");

    assertThat(client().runs().list(RunFilter.all(), Page.first(10)))
        .extracting(Run::id)
        .containsExactly(original);
  }

  private void assertRefused(RunId original, String step, String output, String... message) {
    assertThatThrownBy(() ->
            client().runs().rerun(original, rerun -> rerun.from("second").output(step, output)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(message);
  }

  @Test
  void aRerunHasThePriorityOfItsOriginal() {
    RunId original = client().runs().start(CHILD, new Note("x"), run -> run.priority(7)).id();

    RunId ofOpen = client().runs().rerun(original, List.of(), null);
    start(worker());
    awaitRun(original, RunState.SUCCEEDED);
    RunId ofEnded = client().runs().rerun(original, List.of("second"), null);

    for (RunId again : List.of(ofOpen, ofEnded)) {
      Run run = awaitRun(again, RunState.SUCCEEDED);
      assertThat(job(step(run, "second").job().orElseThrow()).priority()).isEqualTo(7);
    }
    assertThat(job(step(run(ofOpen), "first").job().orElseThrow()).priority()).isEqualTo(7);
  }

  @Test
  void aCancelledParentNeverWakesItsChildAgain() {
    TaskType<Note, Note> slow =
        TaskType.of("runs::backs-off", Note.class, Note.class)
            .with(job -> job.retry(RetryPolicy.fixed(Duration.ofMillis(300)).maxAttempts(50)));
    Workflow<Note, Note> child =
        Workflow.defineWithResult(
            "test::backs-off", Note.class, f -> f.step("fails", slow, f.input()));
    Workflow<Note, Void> parent =
        Workflow.define(
            "test::cancelled-parent", Note.class, f -> f.workflow("child", child, f.input()));
    start(
        worker()
            .handle(
                slow,
                (note, context) -> {
                  log.add("attempt");
                  throw new IllegalStateException("not yet");
                }));
    RunId id = client().runs().start(parent, new Note("x")).id();
    await().atMost(SOON).until(() -> log.contains("attempt"));

    client().runs().cancel(id, "enough");
    awaitRun(id, RunState.CANCELLED);
    int attempts = log.size();
    awaitLater();

    assertThat(log).hasSize(attempts);
    assertThat(run(childOf(id, "child")).state()).isEqualTo(RunState.CANCELLED);
  }

  @Test
  void aReplacedRunThatIsBackingOffNeverWakesUp() {
    TaskType<Note, Note> failing =
        TaskType.of("runs::failing", Note.class, Note.class)
            .with(job -> job.retry(RetryPolicy.fixed(Duration.ofMillis(300)).maxAttempts(50)));
    Workflow<Note, Void> workflow =
        Workflow.define(
            "test::replaced",
            Note.class,
            f -> {
              f.step("work", failing, f.input());
              f.maxActive(MaxActive.of(1).onFull(MaxActive.OnFull.REPLACE));
            });
    start(
        worker()
            .handle(
                failing,
                (note, context) -> {
                  log.add(note.text());
                  if (note.text().equals("first")) {
                    throw new IllegalStateException("not yet");
                  }
                  return note;
                }));
    RunId first = client().runs().start(workflow, new Note("first")).id();
    JobId job = step(run(first), "work").job().orElseThrow();
    awaitState(job, JobState.SCHEDULED);

    RunId second = client().runs().start(workflow, new Note("second")).id();
    awaitRun(first, RunState.CANCELLED);
    awaitRun(second, RunState.SUCCEEDED);
    long attempts = log.stream().filter("first"::equals).count();
    awaitLater();

    assertThat(log.stream().filter("first"::equals).count()).isEqualTo(attempts);
    assertThat(job(job).state()).isEqualTo(JobState.CANCELLED);
    assertThat(run(first).state()).isEqualTo(RunState.CANCELLED);
  }

  @Test
  void aRerunThatHadToWaitKeepsOutputsAndHasItsDeadline() {
    Workflow<Note, Void> workflow =
        Workflow.define(
            "test::rerun-queued",
            Note.class,
            f -> {
              Step<Note> first = f.step("first", SAY, f.input());
              f.awaitSignal("second", "go", Note.class).after(first);
              f.deadline(Duration.ofSeconds(2));
              f.maxActive(MaxActive.of(1));
            });
    start(worker());
    RunId original = client().runs().start(workflow, new Note("once")).id();
    awaitRun(original, RunState.FAILED);
    RunId other = client().runs().start(workflow, new Note("other")).id();

    RunId again = client().runs().rerun(original, List.of("second"), null);

    assertThat(run(again).state()).isEqualTo(RunState.QUEUED);
    awaitRun(other, RunState.FAILED);
    awaitRun(again, RunState.FAILED);
    assertThat(run(again).reason().orElseThrow()).startsWith("DEADLINE");
    assertThat(step(run(again), "first").state()).isEqualTo(StepState.SUCCEEDED);
    assertThat(log).containsExactly("once", "other");
    assertThat(client().runs().events(again, Page.first(100)))
        .extracting(event -> event.kind() + " " + event.step())
        .startsWith("CREATED null", "STEP_SUCCEEDED first", "QUEUED null");
  }

  /** Waits until a run that sleeps for longer than any backoff of these tests has ended. */
  private void awaitLater() {
    Workflow<Note, Void> later =
        Workflow.define(
            "test::later",
            Note.class,
            f -> {
              Step<Void> sleep = f.sleep("sleep", Duration.ofMillis(900));
              f.step("later", SAY, f.input()).after(sleep);
            });
    RunId id = client().runs().start(later, new Note("later")).id();
    awaitRun(id, RunState.SUCCEEDED);
    log.remove("later");
  }

  @Test
  void aRunWithThousandsOfEventsAndAttemptsEnds() throws Exception {
    TaskType<Integer, Integer> flaky =
        TaskType.of("runs::flaky", Integer.class, Integer.class)
            .with(job -> job.retry(RetryPolicy.fixed(Duration.ofMillis(1)).maxAttempts(3)));
    TypeRef<List<Integer>> numbers = new TypeRef<>() {};
    int steps = 1_500;
    int items = 2_500;
    Workflow<List<Integer>, List<Integer>> workflow =
        Workflow.defineWithResult(
            "test::large",
            numbers,
            f -> {
              Step<Integer> last =
                  f.step("step-0", flaky, f.constant(0, TypeRef.of(Integer.class)));
              for (int i = 1; i < steps; i++) {
                f.step("step-" + i, flaky, last);
              }
              return f.map("map", flaky, f.input());
            });
    Set<JobId> seen = ConcurrentHashMap.newKeySet();
    start(
        worker()
            .handle(
                flaky,
                (number, context) -> {
                  if (seen.add(context.jobId())) {
                    throw new IllegalStateException("every first attempt fails");
                  }
                  return number;
                }));

    var started = client().runs().start(workflow, IntStream.range(0, items).boxed().toList());

    assertThat(client().runs().await(started, Duration.ofMinutes(3))).hasSize(items);
    assertThat(seen).hasSize(steps + items);
    List<RunEvent> events = new ArrayList<>();
    List<RunEvent> page;
    do {
      page =
          client()
              .runs()
              .events(
                  started.id(),
                  events.isEmpty() ? Page.first(1_000) : Page.after(events.getLast().seq(), 1_000));
      events.addAll(page);
    } while (!page.isEmpty());
    assertThat(events).hasSizeGreaterThan(2 * steps);
    assertThat(events.getLast().kind()).isEqualTo(RunEvent.Kind.ENDED);
  }
}
