package dev.holdfast.server.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.boot.HoldfastServer;
import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.Reply;
import dev.holdfast.server.testing.TestServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Remote workers over the API, against a server and its database. */
class RemoteWorkerTest {
  private static final String T = "/v1/tenants/default";
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final AtomicInteger names = new AtomicInteger();
  private static TestServer server;
  private static ApiClient api;

  @BeforeAll
  static void start() {
    server = new TestServer(Map.of("nodeTimeout", "PT6S"));
    api = server.tenant();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  /** A task of one test. */
  private static String task() {
    return "remote::t" + names.incrementAndGet();
  }

  private record Claimed(String job, String token, JsonNode json) {
    String claim() {
      return "\"job\":\"%s\",\"token\":\"%s\"".formatted(job, token);
    }

    String outcome(String outcome, String more) {
      return "{%s,\"outcome\":\"%s\"%s}".formatted(claim(), outcome, more);
    }
  }

  /** A worker under test. */
  private record Worker(ApiClient client, String path) {
    static Worker register(ApiClient client, String task, String timeout) {
      String id =
          client
              .post(
                  T + "/workers",
                  "{\"tasks\":[\"%s\"],\"timeout\":\"%s\"}".formatted(task, timeout))
              .expect(201)
              .text("worker");
      return new Worker(client, T + "/workers/" + id);
    }

    static Worker register(String task) {
      return register(api, task, "PT1M");
    }

    Reply call(String what, String body) {
      return client.post(path + "/" + what, body);
    }

    List<Claimed> claim(int number, int max, String more) {
      JsonNode jobs =
          call("claim", "{\"call\":%d,\"max\":%d%s}".formatted(number, max, more))
              .expect(200)
              .json()
              .path("jobs");
      List<Claimed> claimed = new ArrayList<>();
      for (JsonNode job : jobs) {
        claimed.add(new Claimed(job.path("job").asString(), job.path("token").asString(), job));
      }
      return claimed;
    }

    Claimed claimOne(int number) {
      List<Claimed> jobs = claim(number, 1, ",\"wait\":\"PT20S\"");
      assertThat(jobs).hasSize(1);
      return jobs.getFirst();
    }

    String report(String outcome) {
      return call("outcomes", "{\"outcomes\":[%s]}".formatted(outcome))
          .expect(200)
          .json()
          .at("/outcomes/0/result")
          .asString();
    }
  }

  private static String enqueue(String task, String more) {
    return api.post(T + "/jobs", "{\"task\":\"%s\"%s}".formatted(task, more))
        .expect(201)
        .text("id");
  }

  private static JsonNode job(String id) {
    return api.get(T + "/jobs/" + id).expect(200).json();
  }

  /** Reads a job with a key of the installation, which sees the ids of nodes. */
  private static JsonNode jobWithNode(String id) {
    return server.admin().get(T + "/jobs/" + id).expect(200).json();
  }

  private static void awaitState(String id, String state) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(job(id).path("state").asString()).isEqualTo(state));
  }

  @Test
  void aWorkerClaimsAJobAndItsResultIsRecordedOnce() {
    String task = task();
    String id = enqueue(task, ",\"payload\":{\"a\":[1,2]},\"timeout\":\"PT5M\"");
    Worker worker = Worker.register(task);
    Claimed job = worker.claimOne(1);
    assertThat(job.job()).isEqualTo(id);
    assertThat(job.json().at("/payload/a/1").asInt()).isEqualTo(2);
    assertThat(job.json().path("timeout").asString()).isEqualTo("PT5M");
    assertThat(job.json().path("started").asBoolean()).isTrue();
    assertThat(job(id).path("state").asString()).isEqualTo("RUNNING");
    assertThat(jobWithNode(id).path("node").asString()).isEqualTo("default:worker");
    String done = job.outcome("SUCCEEDED", ",\"result\":{\"b\":3}");
    assertThat(worker.report(done)).isEqualTo("RECORDED");
    assertThat(worker.report(done)).isEqualTo("RECORDED");
    assertThat(job(id).path("state").asString()).isEqualTo("SUCCEEDED");
    assertThat(job(id).at("/result/b").asInt()).isEqualTo(3);
    assertThat(worker.report(job.outcome("FAILED", ",\"message\":\"late\"")))
        .isIn("RECORDED", "LOST");
    assertThat(job(id).path("state").asString()).isEqualTo("SUCCEEDED");
    api.delete(worker.path()).expect(204);
    worker.call("claim", "{\"call\":2}").expect(409, "WORKER_DEAD");
  }

  @Test
  void aRepeatedClaimCallReturnsTheSameJobsUnderTheSameTokens() {
    String task = task();
    for (int i = 0; i < 5; i++) {
      enqueue(task, ",\"payload\":" + i);
    }
    Worker worker = Worker.register(task);
    List<Claimed> first = worker.claim(1, 3, "");
    assertThat(first).hasSize(3);
    List<Claimed> again = worker.claim(1, 3, "");
    assertThat(again)
        .extracting(Claimed::claim)
        .containsExactlyElementsOf(first.stream().map(Claimed::claim).toList());
    assertThat(again)
        .extracting(job -> job.json().path("payload").asInt())
        .containsExactly(0, 1, 2);
    assertThat(worker.claim(2, 3, "")).hasSize(2);
  }

  @Test
  void outcomesRideOnTheClaimCall() {
    String task = task();
    String one = enqueue(task, "");
    String two = enqueue(task, "");
    Worker worker = Worker.register(task);
    Claimed first = worker.claimOne(1);
    Reply reply =
        worker
            .call(
                "claim",
                "{\"call\":2,\"max\":1,\"outcomes\":[%s]}"
                    .formatted(first.outcome("SUCCEEDED", "")))
            .expect(200);
    assertThat(reply.json().at("/outcomes/0/result").asString()).isEqualTo("RECORDED");
    assertThat(reply.json().at("/jobs/0/job").asString()).isEqualTo(two);
    assertThat(job(one).path("state").asString()).isEqualTo("SUCCEEDED");
  }

  @Test
  void aFailureIsRetriedByThePolicyOfTheJob() {
    String task = task();
    String id = enqueue(task, ",\"retry\":{\"maxAttempts\":2,\"firstDelay\":\"PT0.2S\"}");
    Worker worker = Worker.register(task);
    String failed = ",\"code\":\"CARD_DECLINED\",\"message\":\"no\\u0000\",\"type\":\"Refused\"";
    worker
        .call(
            "outcomes",
            "{\"outcomes\":[{%s,\"outcome\":\"FAILED\"%s}]}"
                .formatted(worker.claimOne(1).claim(), failed))
        .expect(400, "INVALID_REQUEST");
    String clean = failed.replace("\\u0000", "");
    assertThat(worker.report(worker.claimOne(1).outcome("FAILED", clean))).isEqualTo("RECORDED");
    Claimed second = worker.claimOne(2);
    assertThat(second.json().path("attempt").asInt()).isEqualTo(2);
    assertThat(worker.report(second.outcome("FAILED", clean))).isEqualTo("RECORDED");
    awaitState(id, "FAILED");
    JsonNode failure = jobWithNode(id).at("/failures/1");
    assertThat(failure.path("code").asString()).isEqualTo("CARD_DECLINED");
    assertThat(failure.path("type").asString()).isEqualTo("Refused");
    assertThat(failure.path("node").asString()).isEqualTo("default:worker");
  }

  @Test
  void aWorkerMayDecideHowAFailureEnds() {
    String task = task();
    String dead = enqueue(task, "");
    Worker worker = Worker.register(task);
    assertThat(worker.report(worker.claimOne(1).outcome("FAILED", ",\"final\":true")))
        .isEqualTo("RECORDED");
    assertThat(job(dead).path("state").asString()).isEqualTo("FAILED");
    String later = enqueue(task, "");
    assertThat(worker.report(worker.claimOne(2).outcome("FAILED", ",\"retryIn\":\"PT1H\"")))
        .isEqualTo("RECORDED");
    assertThat(job(later).path("state").asString()).isEqualTo("SCHEDULED");
    assertThat(job(later).path("attempt").asInt()).isEqualTo(1);
    String waits = enqueue(task, "");
    assertThat(worker.report(worker.claimOne(3).outcome("LATER", ",\"delay\":\"PT1H\"")))
        .isEqualTo("RECORDED");
    assertThat(job(waits).path("attempt").asInt()).isZero();
    String back = enqueue(task, "");
    assertThat(worker.report(worker.claimOne(4).outcome("HANDED_BACK", ""))).isEqualTo("RECORDED");
    assertThat(job(back).path("state").asString()).isEqualTo("READY");
  }

  @Test
  void aSilentWorkerIsDeclaredDeadAndItsJobRunsElsewhere() {
    String task = task();
    String id = enqueue(task, "");
    Worker silent = Worker.register(api, task, "PT3S");
    Claimed lost = silent.claimOne(1);
    Worker other = Worker.register(task);
    Claimed again = other.claimOne(1);
    assertThat(again.job()).isEqualTo(id);
    assertThat(again.json().path("crashes").asInt()).isEqualTo(1);
    assertThat(Long.parseLong(again.token())).isGreaterThan(Long.parseLong(lost.token()));
    String before = job(id).toString();
    String outcomes = "{\"outcomes\":[%s]}".formatted(lost.outcome("SUCCEEDED", ""));
    silent.call("outcomes", outcomes).expect(409, "WORKER_DEAD");
    silent.call("heartbeat", "{}").expect(409, "WORKER_DEAD");
    silent.call("claim", "{\"call\":2}").expect(409, "WORKER_DEAD");
    silent.call("start", "{\"jobs\":[{%s}]}".formatted(lost.claim())).expect(409, "WORKER_DEAD");
    silent.call("progress", "{\"jobs\":[{%s}]}".formatted(lost.claim())).expect(409, "WORKER_DEAD");
    api.delete(silent.path()).expect(409, "WORKER_DEAD");
    String same = silent.path().substring(silent.path().lastIndexOf('/') + 1);
    api.post(T + "/workers", "{\"worker\":\"%s\",\"tasks\":[\"%s\"]}".formatted(same, task))
        .expect(409, "WORKER_DEAD");
    assertThat(job(id).toString()).isEqualTo(before);
    assertThat(other.report(again.outcome("SUCCEEDED", ""))).isEqualTo("RECORDED");
  }

  @Test
  void aJobThatWasNotStartedCostsNothingWhenItsWorkerDies() {
    String task = task();
    String id = enqueue(task, "");
    Worker silent = Worker.register(api, task, "PT3S");
    Claimed ahead = silent.claim(1, 0, ",\"prefetch\":1").getFirst();
    assertThat(ahead.json().path("started").asBoolean()).isFalse();
    assertThat(job(id).path("state").asString()).isEqualTo("CLAIMED");
    Claimed again = Worker.register(task).claimOne(1);
    assertThat(again.json().path("crashes").asInt()).isZero();
    assertThat(again.json().path("attempt").asInt()).isEqualTo(1);
  }

  @Test
  void heartbeatsKeepAWorkerAliveAndTellWhatToStop() {
    String task = task();
    String id = enqueue(task, "");
    Worker worker = Worker.register(api, task, "PT3S");
    Claimed job = worker.claim(1, 0, ",\"prefetch\":1").getFirst();
    assertThat(
            worker
                .call("start", "{\"jobs\":[{%s}]}".formatted(job.claim()))
                .expect(200)
                .json()
                .at("/jobs/0/result")
                .asString())
        .isEqualTo("STARTED");
    String beat =
        "{\"jobs\":[{%s,\"progress\":{\"done\":3,\"total\":9,\"message\":\"half\"}}],\"answered\":1}"
            .formatted(job.claim());
    long until = System.nanoTime() + Duration.ofSeconds(7).toNanos();
    await()
        .pollInterval(Duration.ofMillis(500))
        .atMost(PATIENCE)
        .until(() -> {
          JsonNode reply = worker.call("heartbeat", beat).expect(200).json();
          assertThat(reply.path("lost")).isEmpty();
          assertThat(reply.path("cancel")).isEmpty();
          return System.nanoTime() > until;
        });
    assertThat(job(id).at("/progress/done").asString()).isEqualTo("3");
    worker
        .call(
            "progress",
            "{\"jobs\":[{%s,\"log\":[{\"attempt\":1,\"text\":\"a line\"}]}]}"
                .formatted(job.claim()))
        .expect(200);
    assertThat(job(id).at("/log/0/text").asString()).isEqualTo("a line");
    api.post(T + "/jobs/" + id + "/cancel").expect(200);
    JsonNode reply = worker.call("heartbeat", beat).expect(200).json();
    assertThat(reply.at("/cancel/0/job").asString()).isEqualTo(id);
    assertThat(worker.report(job.outcome("CANCELLED", ""))).isEqualTo("RECORDED");
    assertThat(job(id).path("state").asString()).isEqualTo("CANCELLED");
    assertThat(worker.call("heartbeat", beat).json().at("/lost/0/job").asString()).isEqualTo(id);
  }

  @Test
  void aHeartbeatHandsBackJobsWhoseReplyWasLost() {
    String task = task();
    String id = enqueue(task, "");
    Worker worker = Worker.register(task);
    Claimed job = worker.claimOne(3);
    JsonNode kept = worker.call("heartbeat", "{\"jobs\":[],\"answered\":2}").expect(200).json();
    assertThat(kept.at("/claims/0/job").asString()).isEqualTo(id);
    assertThat(job(id).path("state").asString()).isEqualTo("RUNNING");
    JsonNode gone = worker.call("heartbeat", "{\"jobs\":[],\"answered\":3}").expect(200).json();
    assertThat(gone.path("claims")).isEmpty();
    assertThat(job(id).path("state").asString()).isEqualTo("READY");
    assertThat(worker.report(job.outcome("SUCCEEDED", ""))).isEqualTo("LOST");
    assertThat(worker.claimOne(4).json().path("attempt").asInt()).isEqualTo(1);
  }

  @Test
  void aWaitingCallGetsAJobAsSoonAsThereIsOne() throws Exception {
    String task = task();
    Worker worker = Worker.register(task);
    CompletableFuture<Claimed> waiting = CompletableFuture.supplyAsync(() -> worker.claimOne(1));
    String id = enqueue(task, ",\"runIn\":\"PT1S\"");
    assertThat(waiting.get(30, TimeUnit.SECONDS).job()).isEqualTo(id);
    assertThat(worker.claim(2, 1, "")).isEmpty();
  }

  @Test
  void aRepeatEndsTheCallThatStillWaits() throws Exception {
    String task = task();
    Worker worker = Worker.register(task);
    CompletableFuture<List<Claimed>> first =
        CompletableFuture.supplyAsync(() -> worker.claim(1, 1, ",\"wait\":\"PT25S\""));
    // However the two arrive, one of them is told that the other goes on.
    CompletableFuture<List<Claimed>> second =
        CompletableFuture.supplyAsync(() -> worker.claim(1, 1, ",\"wait\":\"PT25S\""));
    Object ended = CompletableFuture.anyOf(first, second).get(20, TimeUnit.SECONDS);
    assertThat((List<?>) ended).isEmpty();
    enqueue(task, "");
    await().atMost(PATIENCE).until(() -> first.isDone() && second.isDone());
    assertThat(first.get().size() + second.get().size()).isEqualTo(1);
  }

  @Test
  void anyServerHandlesAnyCallOfAWorker() {
    String task = task();
    String id = enqueue(task, "");
    Worker worker = Worker.register(task);
    Claimed job = worker.claimOne(1);
    HoldfastServer second = server.start(Map.of("mode", "api"));
    Worker there = new Worker(new ApiClient(second.url(), server.tenantKey()), worker.path());
    assertThat(there.claim(1, 1, "")).extracting(Claimed::claim).containsExactly(job.claim());
    assertThat(there.call("heartbeat", "{}").expect(200).json().path("claims")).hasSize(1);
    assertThat(there.report(job.outcome("SUCCEEDED", ""))).isEqualTo("RECORDED");
    assertThat(job(id).path("state").asString()).isEqualTo("SUCCEEDED");
  }

  @Test
  void nothingIsChangedByWrongCalls() {
    String task = task();
    String id = enqueue(task, "");
    Worker holder = Worker.register(task);
    Claimed job = holder.claimOne(1);
    String before = job(id).toString();
    Worker other = Worker.register(task);
    assertThat(other.report(job.outcome("SUCCEEDED", ""))).isEqualTo("LOST");
    assertThat(other.report(job.outcome("HANDED_BACK", ""))).isEqualTo("LOST");
    Claimed stale = new Claimed(job.job(), "0", job.json());
    assertThat(holder.report(stale.outcome("FAILED", ""))).isEqualTo("LOST");
    String large = "\"" + "x".repeat(1 << 20) + "\"";
    assertThat(holder.report(job.outcome("SUCCEEDED", ",\"result\":" + large)))
        .isEqualTo("TOO_LARGE");
    String twice = job.outcome("SUCCEEDED", "") + "," + job.outcome("FAILED", "");
    holder.call("outcomes", "{\"outcomes\":[%s]}".formatted(twice)).expect(400, "INVALID_REQUEST");
    holder.call("outcomes", "{\"outcomes\":[]}").expect(400, "INVALID_REQUEST");
    holder.call("outcomes", "{\"outcomes\":[{\"job\":\"x\"}]}").expect(400, "INVALID_REQUEST");
    holder
        .call(
            "outcomes", "{\"outcomes\":[%s]}".formatted(job.outcome("FAILED", ",\"code\":\"no\"")))
        .expect(400, "INVALID_REQUEST");
    holder.call("claim", "{\"call\":2,\"tasks\":[\"other\"]}").expect(400, "INVALID_REQUEST");
    holder.call("claim", "{\"call\":0}").expect(400, "INVALID_REQUEST");
    holder.call("claim", "{\"call\":2,\"wait\":\"PT1H\"}").expect(400, "INVALID_REQUEST");
    holder.call("claim", "{\"call\":2,\"max\":1001}").expect(400, "INVALID_REQUEST");
    api.post(T + "/workers", "{\"tasks\":[]}").expect(400, "INVALID_REQUEST");
    api.post(T + "/workers", "{\"tasks\":[\"A b\"]}").expect(400, "INVALID_REQUEST");
    api.post(T + "/workers", "{\"tasks\":[\"a\"],\"timeout\":\"PT1S\"}")
        .expect(400, "INVALID_REQUEST");
    api.post(T + "/workers/" + UUID.randomUUID() + "/heartbeat", "{}")
        .expect(404, "WORKER_NOT_FOUND");
    assertThat(job(id).toString()).isEqualTo(before);
    assertThat(holder.report(job.outcome("SUCCEEDED", ""))).isEqualTo("RECORDED");
  }

  @Test
  void aWorkerOfAnotherTenantDoesNotExist() {
    String task = task();
    Worker worker = Worker.register(task);
    ApiClient thief = server.newTenant("thief");
    String there = worker.path().replace("/default/", "/thief/");
    thief.post(there + "/heartbeat", "{}").expect(404, "WORKER_NOT_FOUND");
    thief.post(there + "/claim", "{\"call\":1}").expect(404, "WORKER_NOT_FOUND");
    thief.delete(there).expect(404, "WORKER_NOT_FOUND");
    String id = there.substring(there.lastIndexOf('/') + 1);
    thief
        .post(
            "/v1/tenants/thief/workers",
            "{\"worker\":\"%s\",\"tasks\":[\"%s\"]}".formatted(id, task))
        .expect(409, "WORKER_DEAD");
    thief
        .post(
            "/v1/tenants/thief/workers",
            "{\"replaces\":\"%s\",\"tasks\":[\"%s\"]}".formatted(id, task))
        .expect(201);
    worker.call("heartbeat", "{}").expect(200);
  }

  @Test
  void keysLimitTheTasksOfWorkers() {
    String task = task();
    String id = enqueue(task, "");
    ApiClient limited =
        server.newKey("{\"name\":\"w\",\"preset\":\"worker\",\"tasks\":[\"other::*\"]}");
    limited.post(T + "/workers", "{\"tasks\":[\"%s\"]}".formatted(task)).expect(403, "FORBIDDEN");
    Worker worker = Worker.register(task);
    Worker withIt = new Worker(limited, worker.path());
    withIt.call("claim", "{\"call\":1}").expect(403, "FORBIDDEN");
    server
        .newKey("{\"name\":\"e\",\"attributes\":[\"can_execute\"]}")
        .post(worker.path() + "/claim", "{\"call\":1}")
        .expect(403, "FORBIDDEN");
    assertThat(worker.claimOne(1).job()).isEqualTo(id);
  }

  @Test
  void anIdOfAWorkerIsOfNoUseForAKeyThatMayNotUseItsTasks() {
    String task = task();
    String mine = "own::" + task.replace("::", "-");
    enqueue(task, ",\"payload\":\"confidential\"");
    enqueue(task, "");
    Worker worker = Worker.register(task);
    Claimed job = worker.claimOne(1);
    Claimed ahead = worker.claim(2, 0, ",\"prefetch\":1").getFirst();
    String before = job(job.job()).toString();
    ApiClient limited =
        server.newKey("{\"name\":\"l\",\"preset\":\"developer\",\"tasks\":[\"own::*\"]}");
    Worker stolen = new Worker(limited, worker.path());
    String id = worker.path().substring(worker.path().lastIndexOf('/') + 1);

    stolen.call("claim", "{\"call\":1}").expect(403, "FORBIDDEN");
    stolen.call("start", "{\"jobs\":[{%s}]}".formatted(ahead.claim())).expect(403, "FORBIDDEN");
    stolen.call("heartbeat", "{}").expect(403, "FORBIDDEN");
    stolen.call("progress", "{\"jobs\":[{%s}]}".formatted(job.claim())).expect(403, "FORBIDDEN");
    stolen
        .call("outcomes", "{\"outcomes\":[%s]}".formatted(job.outcome("SUCCEEDED", "")))
        .expect(403, "FORBIDDEN");
    stolen.call("journal", "{\"job\":\"%s\"}".formatted(job.job())).expect(403, "FORBIDDEN");
    stolen
        .call("steps", "{%s,\"name\":\"a\",\"kind\":\"RUN\"}".formatted(job.claim()))
        .expect(403, "FORBIDDEN");
    stolen.call("signals", "{%s,\"name\":\"a\"}".formatted(job.claim())).expect(403, "FORBIDDEN");
    stolen
        .call(
            "jobs",
            "{\"jobs\":[{\"id\":\"%s\",\"task\":\"%s\"}]}".formatted(UUID.randomUUID(), mine))
        .expect(403, "FORBIDDEN");
    for (String name : List.of("worker", "replaces")) {
      limited
          .post(T + "/workers", "{\"%s\":\"%s\",\"tasks\":[\"%s\"]}".formatted(name, id, mine))
          .expect(403, "FORBIDDEN");
    }
    limited.delete(worker.path()).expect(403, "FORBIDDEN");

    assertThat(job(job.job()).toString()).isEqualTo(before);
    assertThat(job(ahead.job()).path("state").asString()).isEqualTo("CLAIMED");
    assertThat(worker.report(job.outcome("SUCCEEDED", ""))).isEqualTo("RECORDED");
  }

  @Test
  void aKeyThatMayUseTheTasksOfAWorkerReplacesIt() {
    String mine = "own::" + task().replace("::", "-");
    ApiClient limited =
        server.newKey("{\"name\":\"r\",\"preset\":\"developer\",\"tasks\":[\"own::*\"]}");
    Worker first = Worker.register(limited, mine, "PT1M");
    String id = first.path().substring(first.path().lastIndexOf('/') + 1);

    limited
        .post(T + "/workers", "{\"replaces\":\"%s\",\"tasks\":[\"%s\"]}".formatted(id, mine))
        .expect(201);
    first.call("heartbeat", "{}").expect(409, "WORKER_DEAD");
  }

  @Test
  void aClaimReturnsNoMorePayloadsThanFitIntoOneReply() {
    String task = task();
    String large = "x".repeat(900_000);
    for (int i = 0; i < 20; i++) {
      enqueue(task, ",\"payload\":\"%s\"".formatted(large));
    }
    Worker worker = Worker.register(task);

    List<Claimed> first = worker.claim(1, 3, ",\"prefetch\":900");
    List<Claimed> again = worker.claim(1, 3, ",\"prefetch\":900");
    List<Claimed> second = worker.claim(2, 0, ",\"prefetch\":900");
    List<Claimed> third = worker.claim(3, 0, ",\"prefetch\":900");

    assertThat(first).hasSizeBetween(2, 10);
    assertThat(first.stream().filter(job -> job.json().path("started").asBoolean())).hasSize(3);
    assertThat(again)
        .extracting(Claimed::claim)
        .containsExactlyInAnyOrderElementsOf(first.stream().map(Claimed::claim).toList());
    assertThat(second).hasSizeBetween(2, 10);
    assertThat(first.size() + second.size() + third.size()).isEqualTo(20);
  }

  @Test
  void aClaimReturnsAllSmallJobsThatItAsksFor() {
    String task = task();
    for (int i = 0; i < 300; i++) {
      enqueue(task, ",\"payload\":" + i);
    }
    Worker worker = Worker.register(task);

    List<Claimed> jobs = worker.claim(1, 20, ",\"prefetch\":250");

    assertThat(jobs).hasSize(270);
    assertThat(jobs.stream().filter(job -> job.json().path("started").asBoolean())).hasSize(20);
  }

  @Test
  void aJobBelongsToAStackThatExists() {
    String task = task();
    String id =
        api.post(
                T + "/workers",
                "{\"tasks\":[\"%s\"],\"stacks\":[\"mine@1\"],\"id\":\"s\"}".formatted(task))
            .expect(201)
            .text("worker");
    String jobs =
        "{\"stack\":\"%s\",\"jobs\":[{\"id\":\"" + UUID.randomUUID() + "\",\"task\":\"%s\"}]}";
    Worker worker = new Worker(api, T + "/workers/" + id);

    String detail =
        worker
            .call("jobs", jobs.formatted("mine@2", task))
            .expect(400, "INVALID_REQUEST")
            .text("detail");
    assertThat(detail).contains("'mine@2'");
    worker.call("jobs", jobs.formatted("*", task)).expect(400, "INVALID_REQUEST");
    worker.call("jobs", jobs.formatted("mine@1", task)).expect(200);
    Worker other = Worker.register(task);
    other.call("jobs", jobs.formatted("mine@1", task)).expect(200);
  }

  @Test
  void aDrainedWorkerGetsNoJobs() {
    String task = task();
    Worker worker = Worker.register(task);
    String node = "default:worker-" + task.replace("::", "-");
    String id =
        api.post(
                T + "/workers",
                "{\"id\":\"%s\",\"tasks\":[\"%s\"]}".formatted(node.substring(8), task))
            .expect(201)
            .text("worker");
    Worker drained = new Worker(api, T + "/workers/" + id);
    assertThat(server.admin().get("/v1/nodes/" + node.replace(":", "%3A")).expect(200).text("id"))
        .isEqualTo(node);
    server.admin().post("/v1/nodes/" + node.replace(":", "%3A") + "/drain").expect(200);
    enqueue(task, "");
    assertThat(drained.claim(1, 1, "")).isEmpty();
    assertThat(drained.call("heartbeat", "{}").expect(200).json().path("drain").asBoolean())
        .isTrue();
    assertThat(worker.claim(1, 1, "")).hasSize(1);
  }

  @Test
  void rulesOfQueuesApplyToWorkers() {
    String task = task();
    String queue = "q" + task.substring(task.length() - 1) + "limited";
    enqueue(task, ",\"queue\":\"%s\"".formatted(queue));
    enqueue(task, ",\"queue\":\"%s\"".formatted(queue));
    String id =
        api.post(T + "/workers", "{\"tasks\":[\"%s\"],\"queues\":[\"%s\"]}".formatted(task, queue))
            .expect(201)
            .text("worker");
    Worker worker = new Worker(api, T + "/workers/" + id);
    api.post(T + "/queues/" + queue + "/pause").expect(200);
    assertThat(worker.claim(1, 5, "")).isEmpty();
    api.post(T + "/queues/" + queue + "/resume").expect(200);
    api.put(T + "/queues/" + queue + "/limit", "{\"limit\":1}").expect(200);
    assertThat(worker.claim(2, 5, "")).hasSize(1);
    assertThat(worker.claim(3, 5, "")).isEmpty();
  }

  @Test
  void aWorkerRunsTheStepsOfARun() {
    String task = "test::echo";
    // The node of the server runs it too, so the run ends whichever of them claims a step.
    Worker worker = Worker.register(task);
    String run =
        api.post(T + "/runs", "{\"workflow\":\"test::chain\",\"input\":1}").expect(201).text("id");
    AtomicInteger call = new AtomicInteger();
    await()
        .atMost(PATIENCE)
        .until(() -> {
          for (Claimed step : worker.claim(call.incrementAndGet(), 5, "")) {
            assertThat(step.json().at("/step/run").asString()).isEqualTo(run);
            assertThat(worker.report(step.outcome("SUCCEEDED", ",\"result\":1")))
                .isEqualTo("RECORDED");
          }
          return api.get(T + "/runs/" + run).text("state").equals("SUCCEEDED");
        });
  }
}
