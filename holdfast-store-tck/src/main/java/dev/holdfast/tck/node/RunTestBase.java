package dev.holdfast.tck.node;

import static org.awaitility.Awaitility.await;

import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.RunStep;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.node.NodeBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** The base of tests of runs on nodes: a task that logs, and fails as long as it is told to. */
public abstract class RunTestBase extends NodeTestBase {
  protected static final TaskType<Note, Note> SAY =
      TaskType.of("runs::say", Note.class, Note.class).with(RunTestBase::quickRetries);

  /** What handlers did, in this order. */
  protected final List<String> log = new CopyOnWriteArrayList<>();

  /** The texts for which {@link #SAY} fails. */
  protected final Set<String> broken = ConcurrentHashMap.newKeySet();

  protected static void quickRetries(JobOptions.Builder job) {
    job.retry(RetryPolicy.fixed(Duration.ofMillis(1)).maxAttempts(2));
  }

  protected NodeBuilder worker() {
    return node().handle(SAY, (note, context) -> say(note));
  }

  protected Note say(Note note) {
    log.add(note.text());
    if (broken.contains(note.text())) {
      throw new IllegalStateException(note.text() + " is broken");
    }
    return new Note(note.text() + "!");
  }

  protected Run run(RunId id) {
    return client().runs().find(id).orElseThrow(() -> new AssertionError("Run " + id + " is lost"));
  }

  protected Run awaitRun(RunId id, RunState state) {
    await().atMost(SOON).until(() -> run(id).state() == state);
    return run(id);
  }

  protected Run awaitStep(RunId id, String step, StepState state) {
    await().atMost(SOON).until(() -> stateOf(run(id), step) == state);
    return run(id);
  }

  protected static RunStep step(Run run, String name) {
    return run.step(name).orElseThrow(() -> new AssertionError("No step " + name));
  }

  protected static StepState stateOf(Run run, String name) {
    return step(run, name).state();
  }
}
