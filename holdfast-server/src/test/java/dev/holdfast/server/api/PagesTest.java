package dev.holdfast.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.TestServer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Lists that are read page by page, and counts that stop at a bound. */
class PagesTest {
  private static final String T = "/v1/tenants/default";
  private static TestServer server;
  private static ApiClient tenant;

  @BeforeAll
  static void start() {
    server = new TestServer(Map.of("queues", "default=1"));
    tenant = server.tenant();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static void sql(String statement) throws SQLException {
    try (var connection = server.database().connect();
        var run = connection.createStatement()) {
      run.executeUpdate(statement);
    }
  }

  /** Reads a list in pages of one entry, and checks that the pages are the whole list. */
  private static List<String> pages(ApiClient client, String path, String list, String key) {
    List<String> all = new ArrayList<>();
    client
        .get(path)
        .expect(200)
        .json()
        .path(list)
        .forEach(entry -> all.add(entry.path(key).asString()));
    List<String> found = new ArrayList<>();
    String cursor = "";
    do {
      JsonNode page = client.get(path + "?limit=1" + cursor).expect(200).json();
      assertThat(page.path(list).size()).isEqualTo(1);
      found.add(page.path(list).get(0).path(key).asString());
      cursor = page.path("next").isNull() ? "" : "&cursor=" + page.path("next").asString();
    } while (!cursor.isEmpty() && found.size() < 50);
    assertThat(found).isEqualTo(all);
    client.get(path + "?limit=1&cursor=made-up").expect(400, "INVALID_CURSOR");
    return found;
  }

  @Test
  void schedulesHavePages() {
    for (String id : List.of("b", "a", "c")) {
      tenant
          .put(T + "/schedules/" + id, "{\"task\":\"test::echo\",\"every\":\"PT1H\"}")
          .expect(201);
    }

    assertThat(pages(tenant, T + "/schedules", "schedules", "id")).containsExactly("a", "b", "c");
  }

  /** No request takes more memory than a server can spare. */
  @Test
  void aPageOfLargeJobsEndsEarly() {
    ApiClient large = server.newTenant("large");
    String path = "/v1/tenants/large/jobs";
    String payload = "x".repeat(900_000);
    List<String> created = new ArrayList<>();
    for (int i = 0; i < 23; i++) {
      String job = "{\"task\":\"no::handler\",\"payload\":\"%s\"}".formatted(payload);
      created.addFirst(large.post(path, job).expect(201).text("id"));
    }
    List<String> found = new ArrayList<>();
    List<Integer> sizes = new ArrayList<>();
    String cursor = "";
    do {
      JsonNode page = large.get(path + "?limit=500" + cursor).expect(200).json();
      page.path("jobs").forEach(job -> found.add(job.path("id").asString()));
      sizes.add(page.path("jobs").size());
      cursor = page.path("next").isNull() ? "" : "&cursor=" + page.path("next").asString();
    } while (!cursor.isEmpty());
    assertThat(found).isEqualTo(created);
    assertThat(sizes).containsExactly(10, 10, 3);
  }

  @Test
  void aPageIsReadInPortions() {
    ApiClient small = server.newTenant("small");
    String path = "/v1/tenants/small/jobs";
    String job = "{\"task\":\"no::handler\"}";
    for (int jobs : List.of(19, 1, 1, 100)) {
      small
          .post(
              path + "/bulk",
              "{\"jobs\":[%s]}".formatted(String.join(",", Collections.nCopies(jobs, job))))
          .expect(201);
      int all = small.get(path + "?limit=500").expect(200).json().path("jobs").size();
      for (int limit = 18; limit <= 22; limit++) {
        JsonNode page = small.get(path + "?limit=" + limit).expect(200).json();
        assertThat(page.path("jobs").size()).isEqualTo(Math.min(limit, all));
        assertThat(page.path("next").isNull()).as("%d of %d", limit, all).isEqualTo(limit >= all);
      }
    }
    assertThat(pagesOf(small, path, 60)).isEqualTo(List.of(60, 60, 1));
  }

  private static List<Integer> pagesOf(ApiClient client, String path, int limit) {
    List<Integer> sizes = new ArrayList<>();
    String cursor = "";
    do {
      JsonNode page = client.get(path + "?limit=" + limit + cursor).expect(200).json();
      sizes.add(page.path("jobs").size());
      cursor = page.path("next").isNull() ? "" : "&cursor=" + page.path("next").asString();
    } while (!cursor.isEmpty());
    return sizes;
  }

  @Test
  void triggersHavePages() {
    for (String id : List.of("b", "a", "c")) {
      tenant.put(T + "/triggers/" + id, "{\"event\":\"e\",\"task\":\"test::echo\"}").expect(200);
    }

    assertThat(pages(tenant, T + "/triggers", "triggers", "id")).containsExactly("a", "b", "c");
  }

  @Test
  void queuesHavePages() {
    for (String name : List.of("b", "a", "c")) {
      tenant.post(T + "/queues/" + name + "/pause").expect(200);
    }

    assertThat(pages(tenant, T + "/queues", "queues", "name")).contains("a", "b", "c").isSorted();
  }

  @Test
  void versionsOfAWorkflowHavePages() throws SQLException {
    sql(
        """
        insert into holdfast_t1.workflow_definition (hash, name, format, body, created_at, used_at)
        select 'hash-' || n, 'page::flow', 1, '{}', now(), now() from generate_series(1, 3) n
        """);

    assertThat(pages(tenant, T + "/workflows/page::flow", "versions", "hash"))
        .containsExactly("hash-3", "hash-2", "hash-1");
    assertThat(tenant.get(T + "/workflows/page::flow?limit=1").text("name"))
        .isEqualTo("page::flow");
  }

  @Test
  void nodesHavePages() throws SQLException {
    sql(
        """
        insert into holdfast_control.node
        select (jsonb_populate_record(null::holdfast_control.node, to_jsonb(n)
          || jsonb_build_object('incarnation', gen_random_uuid(), 'id', 'page-' || i,
                                'state', 'DEAD', 'died_at', now()))).*
        from (select * from holdfast_control.node limit 1) n
        cross join generate_series(1, 2) i
        """);

    assertThat(pages(server.admin(), "/v1/nodes", "nodes", "id")).contains("page-1", "page-2");
  }

  @Test
  void countsNameTheStatesOfWhichThereAreMore() throws SQLException {
    sql(
        """
        insert into holdfast_t1.job (id, created_at, run_at, rank, priority, state, queue, task)
        select gen_random_uuid(), now(), now() + interval '1 day', now(), 4, 'SCHEDULED', 'many',
               'page::many'
        from generate_series(1, 10001)
        """);
    String path = T + "/jobs/counts?task=page::many";

    JsonNode many = tenant.get(path).expect(200).json();
    assertThat(many.at("/counts/SCHEDULED").asString()).isEqualTo("10000");
    assertThat(many.path("more"))
        .singleElement()
        .extracting(JsonNode::asString)
        .isEqualTo("SCHEDULED");

    sql(
        "delete from holdfast_t1.job where id in (select id from holdfast_t1.job where queue ="
            + " 'many' limit 1)");
    JsonNode all = tenant.get(path).expect(200).json();
    assertThat(all.at("/counts/SCHEDULED").asString()).isEqualTo("10000");
    assertThat(all.path("more")).isEmpty();
  }
}
