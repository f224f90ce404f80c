package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.run.DurableSteps;
import dev.holdfast.api.run.TaskHandler;
import dev.holdfast.engine.node.NodeBuilder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The base of the tests of durable steps: a task whose handler executes them. */
public abstract class DurableStepsBase extends NodeTestBase {
  protected static final Duration HOUR = Duration.ofHours(1);
  protected static final Duration MOMENT = Duration.ofMillis(300);

  protected final List<String> ran = new CopyOnWriteArrayList<>();

  protected NodeBuilder handling(TaskHandler<Note, String> handler) {
    return node().handle(ECHO, handler);
  }

  protected JobId enqueue(String text) {
    return client().enqueue(ECHO, new Note(text)).id();
  }

  protected String step(DurableSteps steps, String name) throws Exception {
    String result =
        steps.run(
            name,
            String.class,
            () -> {
              ran.add(name);
              return "result of " + name;
            });
    assertThat(result).isEqualTo("result of " + name);
    return String.valueOf(result);
  }

  protected String resultOf(JobId id) throws Exception {
    return String.valueOf(client().await(id, String.class, SOON));
  }

  protected FailedAttempt failureOf(JobId id) {
    return awaitState(id, JobState.FAILED).failures().getLast();
  }
}
