package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.intake.ClientSettings;
import dev.holdfast.engine.node.HoldfastNode;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Interceptors around enqueues and attempts. */
public abstract class InterceptorContract extends NodeTestBase {
  private static final TaskType<Note, String> ONCE =
      ECHO.with(job -> job.retry(RetryPolicy.DEFAULT.maxAttempts(1)));

  @Test
  void attemptsRunInsideTheirInterceptorsInOrder() throws InterruptedException {
    List<String> order = new CopyOnWriteArrayList<>();
    start(
        node()
            .interceptAttempts(attempt -> {
              order.add("outer " + ((Note) attempt.payload()).text());
              Object result = attempt.proceed();
              order.add("outer saw " + result);
              return result;
            })
            .interceptAttempts(attempt -> {
              order.add("inner " + attempt.context().attempt());
              return attempt.proceed() + "!";
            })
            .handle(
                ECHO,
                (note, context) -> {
                  order.add("handler");
                  return note.text();
                }));

    assertThat(client().await(client().enqueue(ECHO, new Note("x")), SOON)).isEqualTo("x!");
    assertThat(order).containsExactly("outer x", "inner 1", "handler", "outer saw x!");
  }

  @Test
  void anInterceptorThatThrowsFailsTheAttempt() {
    List<String> ran = new CopyOnWriteArrayList<>();
    start(
        node()
            .interceptAttempts(attempt -> {
              throw new IllegalStateException("no tenant");
            })
            .handle(
                ONCE,
                (note, context) -> {
                  ran.add(note.text());
                  return "x";
                }));

    var failed = awaitState(client().enqueue(ONCE, new Note("x")).id(), JobState.FAILED);

    assertThat(failed.lastFailure().orElseThrow().message()).isEqualTo("no tenant");
    assertThat(ran).isEmpty();
  }

  @Test
  void enqueuesOfAClientRunInsideItsInterceptors() {
    List<Integer> sizes = new CopyOnWriteArrayList<>();
    ClientSettings settings =
        ClientSettings.DEFAULT.with(s ->
            s.interceptEnqueues(enqueue ->
                    enqueue.proceed(
                        enqueue.requests().stream()
                            .map(request -> request.with(job -> job.tags("tenant:1")))
                            .toList()))
                .interceptEnqueues(enqueue -> {
                  sizes.add(enqueue.requests().size());
                  assertThat(enqueue.requests().get(0).options().tags()).contains("tenant:1");
                  return enqueue.proceed();
                }));
    try (Holdfast holdfast = HoldfastClient.on(store(), new JsonCodec(), settings)) {
      Enqueued<String> one = holdfast.enqueue(ECHO, new Note("x"));
      List<Enqueued<String>> two = holdfast.enqueueAll(ECHO, List.of(new Note("y"), new Note("z")));

      assertThat(sizes).containsExactly(1, 2);
      assertThat(two).hasSize(2);
      assertThat(job(one.id()).tags()).containsExactly("tenant:1");
      assertThat(client().count(JobFilter.all().tag("tenant:1")).byState().get(JobState.READY))
          .isEqualTo(3);
    }
  }

  @Test
  void anInterceptorCanRejectAnEnqueue() {
    ClientSettings settings =
        ClientSettings.DEFAULT.with(s ->
            s.interceptEnqueues(enqueue -> {
              throw new SecurityException("not allowed");
            }));
    try (Holdfast holdfast = HoldfastClient.on(store(), new JsonCodec(), settings)) {
      assertThatThrownBy(() -> holdfast.enqueue(ECHO, new Note("x")))
          .isInstanceOf(SecurityException.class);
      assertThat(client().count(JobFilter.all()).byState()).isEmpty();
    }
  }

  @Test
  void anInterceptorMustReturnOneResultPerRequest() {
    ClientSettings settings =
        ClientSettings.DEFAULT.with(s -> s.interceptEnqueues(enqueue -> List.of()));
    try (Holdfast holdfast = HoldfastClient.on(store(), new JsonCodec(), settings)) {
      assertThatThrownBy(() -> holdfast.enqueue(ECHO, new Note("x")))
          .hasMessageContaining("0 results for 1 requests");
    }
  }

  @Test
  void theClientsOfANodeAndItsHandlersHaveItsInterceptors() throws InterruptedException {
    TaskType<Note, Void> parent = TaskType.of("test::parent", Note.class);
    HoldfastNode node =
        start(
            node()
                .interceptEnqueues(enqueue ->
                    enqueue.proceed(
                        enqueue.requests().stream()
                            .map(request -> request.with(job -> job.tags("seen")))
                            .toList()))
                .client(ClientSettings.DEFAULT) // Keeps the interceptor.
                .handle(
                    parent, (note, context) -> context.client().enqueue(ECHO, new Note("child"))));

    node.client().await(node.client().enqueue(parent, new Note("x")), SOON);

    assertThat(client().count(JobFilter.all().tag("seen")).total()).isEqualTo(2);
  }
}
