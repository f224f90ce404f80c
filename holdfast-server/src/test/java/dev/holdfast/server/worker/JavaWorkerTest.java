package dev.holdfast.server.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.run.DurableSteps;
import dev.holdfast.api.run.TaskFailure;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.server.boot.HoldfastServer;
import dev.holdfast.server.config.Configuration;
import dev.holdfast.server.tenant.OpenTenant;
import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.worker.RemoteWorker;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Handlers of embedded nodes, on a remote worker. */
class JavaWorkerTest {
  private static final Duration SOON = Duration.ofSeconds(40);

  record Sum(int a, int b) {}

  private static final TaskType<Sum, Integer> SUM =
      TaskType.of("remote::sum", Sum.class, Integer.class);
  private static final TaskType<Sum, Void> FAILING =
      TaskType.of("remote::failing", Sum.class)
          .with(job -> job.retry(RetryPolicy.fixed(Duration.ofMillis(100)).maxAttempts(2)));
  private static final TaskType<Sum, Void> BLOCKING = TaskType.of("remote::blocking", Sum.class);
  private static final TaskType<Sum, Void> SLOW =
      TaskType.of("remote::slow", Sum.class)
          .with(job -> job.timeout(Duration.ofMillis(200)).retry(RetryPolicy.NEVER));
  private static final TaskType<Sum, Void> STEPS =
      TaskType.of("remote::steps", Sum.class).with(job -> job.retry(RetryPolicy.NEVER));

  private static final TaskType<Sum, String> DURABLE =
      TaskType.of("remote::durable", Sum.class, String.class)
          .with(job -> job.retry(RetryPolicy.fixed(Duration.ofMillis(100)).maxAttempts(2)));

  private static TestDatabase database;
  private static HoldfastServer server;
  private static String key;

  @BeforeAll
  static void start() {
    database = SharedServer.freshDatabase();
    server = start("0");
    key = server.firstKeys().tenant();
  }

  @AfterAll
  static void stop() {
    server.close();
    database.close();
  }

  private static HoldfastServer start(String port) {
    Map<String, String> flags =
        new HashMap<>(
            Map.of(
                "port",
                port,
                "database.url",
                database.jdbcUrl(),
                "database.user",
                database.user(),
                "database.password",
                database.password(),
                "database.poolSize",
                "4",
                "nodeTimeout",
                "PT6S",
                "drain",
                "PT2S"));
    return HoldfastServer.start(Configuration.read(null, Map.of(), flags).server(), List.of());
  }

  private static OpenTenant tenant() {
    return server.tenants().open("default").orElseThrow();
  }

  private static <P, R> Enqueued<R> enqueue(TaskType<P, R> type, P payload) {
    return tenant().change(() -> tenant().client().enqueue(type, payload));
  }

  private static RemoteWorker.Builder worker() {
    return RemoteWorker.connect(server.url().toString(), key).queue("default", 10);
  }

  private static Job ended(Enqueued<?> job) {
    Holdfast client = tenant().client();
    await().atMost(SOON).until(() -> client.find(job.id()).orElseThrow().state().hasEnded());
    return client.find(job.id()).orElseThrow();
  }

  @Test
  void handlersOfAnEmbeddedNodeRunOnAWorker() {
    try (RemoteWorker worker =
        worker()
            .handle(
                SUM,
                (sum, context) -> {
                  context.progress(1, 2, "adding");
                  context.log("a line");
                  return sum.a() + sum.b();
                })
            .with(node -> node.keepJobLog(10))
            .start()) {
      List<Enqueued<Integer>> jobs =
          IntStream.range(0, 250).mapToObj(i -> enqueue(SUM, new Sum(i, 1))).toList();
      for (int i = 0; i < jobs.size(); i++) {
        Job job = ended(jobs.get(i));
        assertThat(job.state()).isEqualTo(JobState.SUCCEEDED);
        assertThat(job.result()).isEqualTo(String.valueOf(i + 1));
        assertThat(job.node()).isEqualTo("default:" + worker.node().id());
      }
      Job first = ended(jobs.getFirst());
      assertThat(first.progress().message()).isEqualTo("adding");
      assertThat(first.log().getFirst().text()).isEqualTo("a line");
      assertThat(first.attempt()).isEqualTo(1);
    }
  }

  @Test
  void failuresAndTimeoutsAreHandledAsOnANode() {
    AtomicInteger attempts = new AtomicInteger();
    try (RemoteWorker worker =
        worker()
            .handle(
                FAILING,
                (sum, context) -> {
                  attempts.incrementAndGet();
                  throw new TaskFailure("CARD_DECLINED", "no");
                })
            .handle(
                SLOW,
                (sum, context) -> {
                  new Semaphore(0).acquire();
                })
            .handle(
                STEPS,
                (sum, context) -> {
                  String unused =
                      context.steps().transaction("one", String.class, connection -> "x");
                })
            .start()) {
      Job failed = ended(enqueue(FAILING, new Sum(1, 1)));
      assertThat(failed.state()).isEqualTo(JobState.FAILED);
      assertThat(failed.failures()).hasSize(2);
      assertThat(failed.failures().getLast().code()).isEqualTo("CARD_DECLINED");
      assertThat(attempts).hasValue(2);
      Job slow = ended(enqueue(SLOW, new Sum(1, 1)));
      assertThat(slow.failures().getLast().code()).isEqualTo("TIMED_OUT");
      Job steps = ended(enqueue(STEPS, new Sum(1, 1)));
      assertThat(steps.failures().getLast().type()).contains("UnsupportedOperationException");
      assertThat(steps.failures().getLast().message()).contains("remote worker");
      assertThat(worker.node().isIdle()).isTrue();
    }
  }

  @Test
  void durableStepsAreExecutedOnceAndSurviveARetry() {
    List<String> executed = new CopyOnWriteArrayList<>();
    try (RemoteWorker worker =
        worker()
            .handle(
                DURABLE,
                (sum, context) -> {
                  DurableSteps steps = context.steps();
                  int first =
                      steps.run(
                          "add",
                          Integer.class,
                          () -> {
                            executed.add("add");
                            return sum.a() + sum.b();
                          });
                  steps.sleep("pause", Duration.ofMillis(300));
                  if (context.attempt() == 1) {
                    executed.add("fail");
                    throw new TaskFailure("ONCE", "the first attempt fails");
                  }
                  String word = steps.awaitSignal("word", String.class, SOON).orElseThrow();
                  boolean late = steps.awaitSignal("never", Duration.ofMillis(300));
                  return steps.patched("new") + " " + first + " " + word + " " + late;
                })
            .start()) {
      Enqueued<String> job = enqueue(DURABLE, new Sum(3, 4));
      Holdfast client = tenant().client();
      await().atMost(SOON).until(() -> executed.contains("fail") && state(job) == JobState.WAITING);
      tenant().change(() -> client.signal(job.id(), "word", "hello"));

      Job done = ended(job);
      assertThat(done.state()).as(done.failures().toString()).isEqualTo(JobState.SUCCEEDED);
      assertThat(done.result()).isEqualTo("\"true 7 hello false\"");
      assertThat(done.attempt()).isEqualTo(2);
      assertThat(executed).containsOnlyOnce("add");
      assertThat(worker.node().isIdle()).isTrue();
    }
  }

  private static JobState state(Enqueued<?> job) {
    return tenant().client().find(job.id()).orElseThrow().state();
  }

  @Test
  void aSignalThatIsThereBeforeItIsAwaitedIsReceivedAtOnce() {
    try (RemoteWorker worker =
        worker()
            .handle(
                DURABLE,
                (sum, context) ->
                    context.steps().awaitSignal("word", String.class, SOON).orElse("none"))
            .start()) {
      Enqueued<String> job =
          tenant()
              .change(() ->
                  tenant()
                      .client()
                      .enqueue(DURABLE, new Sum(1, 1), with -> with.runIn(Duration.ofMillis(500))));
      tenant().change(() -> tenant().client().signal(job.id(), "word", "early"));

      assertThat(ended(job).result()).isEqualTo("\"early\"");
      assertThat(worker.node().isIdle()).isTrue();
    }
  }

  @Test
  void aHandlerEnqueuesJobsWhichKnowTheirParent() {
    try (RemoteWorker worker =
        worker()
            .handle(
                DURABLE,
                (sum, context) -> {
                  Enqueued<Integer> child =
                      context
                          .client()
                          .enqueue(
                              SUM,
                              sum,
                              with ->
                                  with.priority(7)
                                      .tags("child")
                                      .timeout(Duration.ofSeconds(9))
                                      .retry(
                                          RetryPolicy.fixed(Duration.ofSeconds(1)).maxAttempts(4))
                                      .unique(UniqueKey.whileActive("only " + context.jobId())));
                  return child.id() + " " + child.outcome();
                })
            .handle(
                SUM,
                (sum, context) -> {
                  assertThat(context.maxAttempts()).isEqualTo(4);
                  assertThat(context.deadline()).isPresent();
                  return sum.a() + sum.b();
                })
            .start()) {
      Enqueued<String> parent = enqueue(DURABLE, new Sum(5, 6));
      String[] words = ended(parent).result().replace("\"", "").split(" ", 2);
      assertThat(words[1]).isEqualTo("CREATED");
      Holdfast client = tenant().client();
      JobId id = JobId.parse(words[0]);
      await().atMost(SOON).until(() -> client.find(id).orElseThrow().state().hasEnded());
      Job child = client.find(id).orElseThrow();
      assertThat(child.result()).as(child.failures().toString()).isEqualTo("11");
      assertThat(child.parent()).isEqualTo(parent.id());
      assertThat(child.priority()).isEqualTo(7);
      assertThat(child.tags()).containsExactly("child");
      assertThat(worker.node().isIdle()).isTrue();
    }
  }

  @Test
  void aStepOfAnotherHolderIsNotStored() {
    Enqueued<String> job = enqueue(DURABLE, new Sum(1, 1));
    ApiClient client = new ApiClient(server.url(), key);
    String base = "/v1/tenants/default/workers";
    String tasks = "{\"tasks\":[\"remote::durable\"]}";
    String holder = base + "/" + client.post(base, tasks).expect(201).text("worker");
    String other = base + "/" + client.post(base, tasks).expect(201).text("worker");
    await()
        .atMost(SOON)
        .until(() ->
            client
                .post(holder + "/claim", "{\"call\":1,\"max\":1,\"wait\":\"PT1S\"}")
                .expect(200)
                .json()
                .at("/jobs/0/job")
                .asString("")
                .equals(job.id().toString()));
    String step = "{\"job\":\"%s\",\"token\":%d,\"name\":\"go\",\"kind\":\"RUN\",\"output\":1}";
    String take = "{\"job\":\"%s\",\"token\":%d,\"name\":\"go\"}";
    String read = "{\"job\":\"%s\"}".formatted(job.id());

    assertThat(client.post(holder + "/steps", step.formatted(job.id(), 2)).text("result"))
        .isEqualTo("LOST");
    assertThat(client.post(other + "/steps", step.formatted(job.id(), 1)).text("result"))
        .isEqualTo("LOST");
    assertThat(client.post(other + "/signals", take.formatted(job.id(), 1)).text("result"))
        .isEqualTo("LOST");
    assertThat(client.post(other + "/journal", read).text("result")).isEqualTo("LOST");
    assertThat(client.post(holder + "/journal", read).json().path("entries")).isEmpty();
    assertThat(client.post(holder + "/steps", step.formatted(job.id(), 1)).text("result"))
        .isEqualTo("STORED");
    assertThat(client.post(holder + "/journal", read).json().path("entries")).hasSize(1);
    client.delete(holder).expect(204);
    client.delete(other).expect(204);
    tenant().change(() -> tenant().client().cancel(job.id()));
  }

  @Test
  void aWorkerThatIsCutOffInterruptsItsJobAndStartsOver() throws Exception {
    Semaphore started = new Semaphore(0);
    Semaphore interrupted = new Semaphore(0);
    Semaphore release = new Semaphore(0);
    try (RemoteWorker worker =
        worker()
            .timeout(Duration.ofSeconds(4))
            .handle(
                BLOCKING,
                (sum, context) -> {
                  started.release();
                  try {
                    release.acquire();
                  } catch (InterruptedException told) {
                    interrupted.release();
                    throw told;
                  }
                })
            .start()) {
      Enqueued<Void> job = enqueue(BLOCKING, new Sum(1, 1));
      started.acquire();
      var before = worker.node().incarnation();
      int port = server.url().getPort();
      server.close();
      interrupted.acquire(); // On its own clock: there is no server that could tell it.
      server = start(String.valueOf(port));
      release.release();
      assertThat(ended(job).state()).isEqualTo(JobState.SUCCEEDED);
      assertThat(worker.node().incarnation()).isNotEqualTo(before);
    }
  }

  @Test
  void aCancelledJobIsInterrupted() throws Exception {
    Semaphore started = new Semaphore(0);
    try (RemoteWorker worker =
        worker()
            .timeout(Duration.ofSeconds(6))
            .handle(
                BLOCKING,
                (sum, context) -> {
                  started.release();
                  new Semaphore(0).acquire();
                })
            .start()) {
      Enqueued<Void> job = enqueue(BLOCKING, new Sum(1, 1));
      started.acquire();
      tenant().change(() -> tenant().client().cancel(job.id()));
      assertThat(ended(job).state()).isEqualTo(JobState.CANCELLED);
      assertThat(worker.node().id()).isNotEmpty();
    }
  }

  @Test
  void aKeyThatIsRefusedStopsTheStart() {
    assertThatThrownBy(() ->
            RemoteWorker.connect(server.url().toString(), key + "x")
                .handle(SUM, (sum, context) -> 1)
                .start())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("UNAUTHENTICATED");
    assertThatThrownBy(() -> RemoteWorker.connect(server.url().toString(), "nonsense").start())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("tenant");
  }
}
