package dev.holdfast.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.http.Route;
import dev.holdfast.server.key.KeyText;
import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.RawHttp;
import dev.holdfast.server.testing.Reply;
import dev.holdfast.server.testing.TestServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Sends every route what it does not expect. Whatever that is: no 500, no stack trace, nothing of
 * another tenant. {@code -Dholdfast.fuzz.seed} repeats a run, {@code -Dholdfast.fuzz.rounds} makes
 * it longer.
 */
class FuzzTest {
  private static final long SEED = Long.getLong("holdfast.fuzz.seed", 20_261_117L);
  private static final int ROUNDS = Integer.getInteger("holdfast.fuzz.rounds", 20);
  private static final String SECRET = "topsecretmarker";

  private static final List<String> VALUES =
      List.of(
          "null",
          "true",
          "[]",
          "{}",
          "\"\"",
          "-1",
          "0",
          "1e400",
          "1E-400",
          "99999999999999999999",
          "9223372036854775808",
          "0.1",
          "\"\\u0000\"",
          "\"\\ud800\"",
          "\"PT-1S\"",
          "\"P999999999D\"",
          "\"PT2562047788015215H\"",
          "\"-999999999-01-01T00:00:00Z\"",
          "\"+999999999-12-31T23:59:59Z\"",
          "\"not a date\"",
          "\"a::b\"",
          "\"A B\"",
          "[null]",
          "[[[[]]]]",
          "{\"a\":{\"b\":{}}}",
          "\"' or 1=1 --\"",
          "\"${jndi:ldap://x}\"",
          "\"../../etc/passwd\"",
          "\"\ud83d\ude00\"",
          "[\"a\",\"a\"]",
          "[1,2]",
          "{\"key\":\"\"}",
          "{\"key\":1,\"window\":\"x\"}",
          "\"CATCH_UP(0)\"",
          "\"* * * * *\"",
          "\"0 0 31 2 *\"",
          "\"full\"",
          "\"UTC\"",
          "2147483648",
          "\"%\"",
          "[{}]",
          "[{\"task\":1}]",
          "1",
          "[\"a\"]",
          "[{\"job\":\"0197a3c2-5b1e-7c4d-9a31-0f3c2b1a4d5e\",\"token\":1,\"outcome\":\"FAILED\"}]",
          "[{\"job\":\"0197a3c2-5b1e-7c4d-9a31-0f3c2b1a4d5e\",\"token\":\"1\"}]");

  private static final List<String> FIELDS =
      List.of(
          "task",
          "payload",
          "id",
          "queue",
          "priority",
          "tags",
          "timeout",
          "heartbeatTimeout",
          "startWithin",
          "keepResult",
          "retry",
          "runIn",
          "runAt",
          "unique",
          "jobs",
          "name",
          "reason",
          "limit",
          "cron",
          "zone",
          "every",
          "misfire",
          "overlap",
          "jitter",
          "from",
          "until",
          "event",
          "conditions",
          "window",
          "subject",
          "debounce",
          "maxWait",
          "cooldown",
          "workflow",
          "input",
          "label",
          "hash",
          "dryRun",
          "preset",
          "attributes",
          "tasks",
          "workflows",
          "expiresAt",
          "overlap",
          "settings",
          "keepHistory",
          "requestsPerSecond",
          "quotas",
          "queuedJobs",
          "mode",
          "pattern",
          "tag",
          "worker",
          "replaces",
          "queues",
          "capacity",
          "call",
          "max",
          "prefetch",
          "wait",
          "answered",
          "outcomes");

  private static final List<String> SEGMENTS =
      List.of(
          "..",
          "%2e%2e",
          "%00",
          "%",
          "%zz",
          "%ff%fe",
          "%2F",
          "a%2Fb",
          "",
          ".",
          ";x=1",
          "%20",
          "0197a3c2-5b1e-7c4d-9a31-0f3c2b1a4d5e",
          "1-1-1-1-1",
          "default",
          "x",
          "%F0%9F%98%80",
          "'%20or%201=1",
          "%c3%28",
          "A".repeat(300),
          "victim",
          "a:b",
          "*",
          "test::chain");

  private static final List<String> PARAMETERS =
      List.of(
          "limit=0",
          "limit=-1",
          "limit=x",
          "limit=99999999999",
          "cursor=x",
          "cursor=",
          "cursor=%00",
          "state=READY",
          "state=NOPE",
          "state=READY,RUNNING",
          "queue=A%20B",
          "task=%27",
          "tag=",
          "createdAfter=x",
          "createdAfter=-999999999-01-01T00:00:00Z",
          "after=-5",
          "after=x",
          "unknown=1",
          "=",
          "&&&",
          "%zz=1",
          "topic=run:x",
          "topic=jobs2",
          "force=maybe",
          "tenant=victim",
          "tenant=%2e",
          "parent=x",
          "before=+1000000-01-01T00:00:00Z",
          "createdBefore=%2B999999999-12-31T23:59:59Z",
          "action=a",
          "key=b");

  /** None of them opens a stream, which would not end. */
  private static final List<String> WRONG_TOPICS =
      List.of(
          "",
          "?",
          "?topic",
          "?topic=",
          "?topic=jobs2",
          "?topic=nodes,nope",
          "?topic=run:",
          "?topic=run:x",
          "?topic=run:1-1-1-1-1",
          "?topic=run:0197a3c2-5b1e-7c4d-9a31-0f3c2b1a4d5e",
          "?topic=jobs&topic=run:%00",
          "?topic=jobs&unknown=1",
          "?Topic=nodes",
          "?topic=%zz",
          "?topic=" + "run:0197a3c2-5b1e-7c4d-9a31-0f3c2b1a4d5e,".repeat(30) + "jobs");

  /**
   * Ids of what exists, by the name of their parameter, so that handlers get beyond looking them
   * up. The keys are not those that are used.
   */
  private static Map<String, List<String>> existing(ApiClient tenant, ApiClient admin) {
    String base = "/v1/tenants/default";
    tenant.post(base + "/jobs", "{\"task\":\"a\",\"runIn\":\"PT1H\"}").expect(201);
    tenant.post(base + "/jobs", "{\"task\":\"test::fail\"}").expect(201);
    tenant.post(base + "/runs", "{\"workflow\":\"test::approval\"}").expect(201);
    tenant.put(base + "/schedules/nightly", "{\"task\":\"a\",\"every\":\"PT1H\"}");
    tenant.put(base + "/triggers/paid", "{\"task\":\"a\",\"event\":\"paid\"}");
    List<String> keys = new ArrayList<>();
    keys.add(tenant.post(base + "/api-keys", "{\"name\":\"fuzzed\"}").expect(201).text("id"));
    keys.add(admin.post("/v1/api-keys", "{\"name\":\"fuzzed\"}").expect(201).text("id"));
    return Map.of(
        "{job}", ids(tenant, base + "/jobs?limit=20", "jobs"),
        "{run}", ids(tenant, base + "/runs?limit=20", "runs"),
        "{schedule}", List.of("nightly"),
        "{trigger}", List.of("paid"),
        "{worker}",
            List.of(
                tenant.post(base + "/workers", "{\"tasks\":[\"a\"]}").expect(201).text("worker")),
        "{key}", keys);
  }

  private static List<String> ids(ApiClient tenant, String path, String list) {
    List<String> ids = new ArrayList<>();
    tenant
        .get(path)
        .expect(200)
        .json()
        .path(list)
        .forEach(each -> ids.add(each.path("id").asString()));
    return ids;
  }

  @Test
  void nothingThatIsSentBreaksTheServer() throws IOException {
    try (TestServer server = new TestServer(Map.of("bodyLimit", "65536"))) {
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() ->
              server
                  .tenant()
                  .get("/v1/tenants/default/workflows")
                  .response()
                  .body()
                  .contains("test::approval"));
      ApiClient victim = server.newTenant("victim");
      victim
          .post("/v1/tenants/victim/jobs", "{\"task\":\"a\",\"payload\":\"%s\"}".formatted(SECRET))
          .expect(201);
      List<String> keys =
          List.of(
              server.tenantKey(),
              server.tenantKey(),
              server.tenantKey(),
              "",
              "x",
              KeyText.create("live", "victim").text(),
              server.tenantKey() + "x");
      Random random = new Random(SEED);
      Map<Integer, Integer> statuses = new HashMap<>();
      Map<String, Integer> reached = new HashMap<>();
      for (int round = 0; round < ROUNDS; round++) {
        Map<String, List<String>> existing = existing(server.tenant(), server.admin());
        for (Route route : server.server().routes()) {
          // The key of the installation is for routes that need it.
          boolean admin = !route.isOfTenant() && random.nextInt(3) == 0;
          String key = admin ? server.adminKey() : keys.get(random.nextInt(keys.size()));
          Map<String, List<String>> real = random.nextInt(3) == 0 ? existing : Map.of();
          byte[] request = request(random, route, key, real);
          RawHttp.Answer answer = RawHttp.send(server.server().url(), request);
          if (route.path().equals("/ready") && answer.status() == 503) {
            continue; // What it says depends on the machine: a heartbeat may be late.
          }
          statuses.merge(answer.status(), 1, Integer::sum);
          if (answer.status() == 409 || (answer.status() > 0 && answer.status() < 300)) {
            real.keySet().stream()
                .filter(route.path()::contains)
                .forEach(parameter -> reached.merge(parameter, 1, Integer::sum));
          }
          String shown =
              "seed %d: %s -> %s"
                  .formatted(SEED, new String(request, StandardCharsets.UTF_8), answer.text());
          assertThat(answer.status()).as(shown).isNotEqualTo(500).isLessThan(600);
          boolean problem = answer.status() >= 400;
          assertThat(problem ? answer.text() : withoutFailuresOfTasks(answer.text()))
              .as(shown)
              .doesNotContain(
                  SECRET, "\tat ", "Exception", "org.postgresql", "dev.holdfast", "jetty");
          if (answer.status() >= 400
              && !new String(request, StandardCharsets.UTF_8).startsWith("HEAD")) {
            assertThat(answer.text())
                .as(shown)
                .contains("application/problem+json")
                .contains("\"code\":");
          }
        }
      }
      assertThat(statuses.keySet()).contains(200, 204, 400, 401, 403, 404, 405, 409, 413, 415, 431);
      assertThat(reached.keySet())
          .as("what handlers found")
          .containsExactlyInAnyOrder(
              "{job}", "{run}", "{schedule}", "{trigger}", "{worker}", "{key}");
      assertThat(statuses).doesNotContainKey(503);
      // The server still works, and the other tenant is as it was.
      assertThat(victim.get("/v1/tenants/victim/jobs").expect(200).response().body())
          .contains(SECRET);
      assertThat(victim.get("/v1/tenants/victim/jobs").json().path("jobs").size()).isEqualTo(1);
    }
  }

  /** Removes what the code of a task has thrown, which its tenant may read. */
  private static String withoutFailuresOfTasks(String response) {
    return response.replaceAll(
        "\"(type|message|stackTrace)\":\"(?:[^\"\\\\]|\\\\.)*+\"", "\"$1\":\"\"");
  }

  /** Values that are valid and that few programs expect. */
  private static final List<String> PAYLOADS =
      List.of(
          "null",
          "[]",
          "\"\"",
          "1e308",
          "-0.0",
          "123456789012345678901234567890",
          "\"\\u0000\"",
          "\"\\ud83d\"",
          "\"' or 1=1 --\"",
          "{\"\":{\"\":[]}}",
          "{\"$ref\":\"#\",\"@class\":\"java.lang.Object\"}",
          "[".repeat(100) + "]".repeat(100));

  private static final List<String> OPTIONS =
      List.of(
          "\"priority\":0",
          "\"priority\":9",
          "\"queue\":\"a\"",
          "\"queue\":\"" + "q".repeat(60) + "\"",
          "\"tags\":[\"\\u00e9\",\"a b\"]",
          "\"tags\":[]",
          "\"runIn\":\"PT0S\"",
          "\"runIn\":\"PT876000H\"",
          "\"runAt\":\"0001-01-01T00:00:00Z\"",
          "\"runAt\":\"9999-12-31T23:59:59.999999999Z\"",
          "\"timeout\":\"PT0.001S\"",
          "\"keepResult\":\"P3650D\"",
          "\"unique\":{\"key\":\"\\ud83d\\ude00\"}",
          "\"unique\":{\"key\":\"k\",\"window\":\"PT1S\",\"onConflict\":\"REPLACE\"}",
          "\"retry\":{\"maxAttempts\":1}",
          "\"startWithin\":\"PT1S\"");

  @Test
  void oddButValidRequestsAreCarriedOut() {
    try (TestServer server = new TestServer(Map.of("mode", "api"))) {
      ApiClient tenant = server.tenant();
      String base = "/v1/tenants/default";
      Random random = new Random(SEED);
      Map<String, Integer> created = new HashMap<>();
      for (int round = 0; round < 150; round++) {
        String payload = any(random, PAYLOADS);
        String job =
            "{\"task\":\"%s\",\"payload\":%s,%s}"
                .formatted(
                    any(random, List.of("a", "a::b", "a.b-c_d::E9")),
                    payload,
                    any(random, OPTIONS));
        Reply one = tenant.send("POST", base + "/jobs", job);
        note(created, "job", one, job);
        if (one.status() == 201) {
          tenant.get(base + "/jobs/" + one.text("id")).expect(200);
        }
        String bulk = "{\"jobs\":[%s,{\"task\":\"a\"}]}".formatted(job);
        note(created, "bulk", tenant.send("POST", base + "/jobs/bulk", bulk), bulk);
        String id = any(random, List.of("s", "S-1", "a%20b", "%C3%A9", "x".repeat(200)));
        String schedule =
            "{\"task\":\"a\",\"payload\":%s,%s}"
                .formatted(
                    payload,
                    any(
                        random,
                        List.of(
                            "\"every\":\"PT1S\"",
                            "\"every\":\"P3650D\"",
                            "\"cron\":\"59 23 31 12 *\"",
                            "\"cron\":\"0 0 29 2 *\",\"zone\":\"Pacific/Kiritimati\"")));
        note(
            created, "schedule", tenant.send("PUT", base + "/schedules/" + id, schedule), schedule);
        String trigger = "{\"event\":\"e\",\"task\":\"a\",\"window\":\"PT1S\"}";
        note(created, "trigger", tenant.send("PUT", base + "/triggers/" + id, trigger), trigger);
        String event = "{\"event\":\"e\",\"payload\":%s}".formatted(payload);
        note(created, "event", tenant.send("POST", base + "/events", event), event);
      }
      String key = "{\"name\":\"' \\u00e9 \\\" \",\"preset\":\"viewer\"}";
      note(created, "key", tenant.send("POST", base + "/api-keys", key), key);
      assertThat(created.keySet()).contains("job", "bulk", "schedule", "trigger", "event", "key");
      assertThat(created.get("job")).as("jobs created by 150 requests").isGreaterThan(50);
    }
  }

  private static void note(Map<String, Integer> created, String what, Reply reply, String sent) {
    assertThat(reply.status()).as("seed %d: %s %s", SEED, what, sent).isLessThan(500);
    if (reply.status() < 300) {
      created.merge(what, 1, Integer::sum);
    }
  }

  private static byte[] request(
      Random random, Route route, String key, Map<String, List<String>> real) throws IOException {
    String method =
        random.nextInt(20) == 0
            ? any(random, List.of("HEAD", "OPTIONS", "TRACE", "FOO", "PATCH"))
            : route.method().name();
    String path = path(random, route, real);
    if (route.path().endsWith("/stream")) {
      path += any(random, WRONG_TOPICS);
    } else if (random.nextInt(3) == 0) {
      path +=
          "?"
              + any(random, PARAMETERS)
              + (random.nextBoolean() ? "&" + any(random, PARAMETERS) : "");
    }
    byte[] body = method.equals("GET") || method.equals("HEAD") ? new byte[0] : body(random);
    StringBuilder head = new StringBuilder();
    head.append(method)
        .append(' ')
        .append(path)
        .append(" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
    if (!key.isEmpty()) {
      head.append("Authorization: Bearer ").append(key).append("\r\n");
    }
    if (random.nextInt(4) == 0) {
      head.append(
          any(
              random,
              List.of(
                  "Content-Type: text/plain\r\n",
                  "Content-Type: application/json; charset=utf-16\r\n",
                  "Idempotency-Key: same\r\n",
                  "Idempotency-Key: "
                      + UUID.nameUUIDFromBytes(new byte[] {(byte) random.nextInt()})
                      + "\r\n",
                  "Idempotency-Key: \u00e9\r\n",
                  "X-Request-Id: a b\r\n",
                  "If-None-Match: *\r\n",
                  "Accept: application/xml\r\n",
                  "X-Long: " + "x".repeat(20_000) + "\r\n")));
    }
    if (body.length > 0) {
      head.append("Content-Length: ").append(body.length).append("\r\n");
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
    out.write(body);
    return out.toByteArray();
  }

  private static String path(Random random, Route route, Map<String, List<String>> real) {
    StringBuilder path = new StringBuilder();
    for (String segment : route.path().substring(1).split("/", -1)) {
      path.append('/');
      if (segment.equals("{tenant}") && random.nextInt(5) != 0) {
        path.append("default");
      } else if (real.containsKey(segment)) {
        path.append(any(random, real.get(segment)));
      } else if (segment.startsWith("{") || random.nextInt(60) == 0) {
        path.append(any(random, SEGMENTS));
      } else {
        path.append(segment);
      }
    }
    return path + (random.nextInt(40) == 0 ? "/" : "");
  }

  private static byte[] body(Random random) {
    return switch (random.nextInt(12)) {
      case 0 -> new byte[0];
      case 1 -> "{".getBytes(StandardCharsets.UTF_8);
      case 2 -> any(random, VALUES).getBytes(StandardCharsets.UTF_8);
      case 3 -> "{\"a\":1,\"a\":2}".getBytes(StandardCharsets.UTF_8);
      case 4 -> "[".repeat(5_000).getBytes(StandardCharsets.UTF_8);
      case 5 -> ("{\"task\":\"" + "x".repeat(70_000) + "\"}").getBytes(StandardCharsets.UTF_8);
      case 6 -> new byte[] {'{', '"', (byte) 0xff, (byte) 0xfe, '"', ':', '1', '}'};
      case 7 -> "{\"task\":\"a\"} trailing".getBytes(StandardCharsets.UTF_8);
      default -> object(random).getBytes(StandardCharsets.UTF_8);
    };
  }

  /** An object with fields that routes know, and values of any type. */
  private static String object(Random random) {
    StringBuilder object = new StringBuilder("{");
    // What most routes require is often right, so that the rest of the request is looked at.
    if (random.nextBoolean()) {
      object.append("\"task\":\"a::b\",");
    }
    if (random.nextInt(3) == 0) {
      object.append(
          any(
              random,
              List.of(
                  "\"event\":\"e\",",
                  "\"workflow\":\"test::chain\",",
                  "\"name\":\"n\",",
                  "\"every\":\"PT1H\",",
                  "\"mode\":\"full\",")));
    }
    int fields = random.nextInt(4);
    for (int i = 0; i < fields; i++) {
      object
          .append('"')
          .append(any(random, FIELDS))
          .append("\":")
          .append(any(random, VALUES))
          .append(',');
    }
    if (object.charAt(object.length() - 1) == ',') {
      object.deleteCharAt(object.length() - 1);
    }
    return object.append('}').toString();
  }

  private static String any(Random random, List<String> from) {
    return from.get(random.nextInt(from.size()));
  }
}
