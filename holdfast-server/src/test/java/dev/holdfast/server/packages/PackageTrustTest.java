package dev.holdfast.server.packages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.testing.ApiClient;
import dev.holdfast.server.testing.TestPackage;
import dev.holdfast.server.testing.TestServer;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which packages run in the process of the server. */
class PackageTrustTest {
  private static final String T = "/v1/tenants/default";
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final String MARK = "holdfast.test.process";

  @TempDir private static Path folder;

  @BeforeAll
  static void mark() {
    System.setProperty(MARK, "that of the server");
  }

  @AfterAll
  static void unmark() {
    System.clearProperty(MARK);
  }

  /** Runs a job of a package and returns in which process it ran. */
  private static String process(TestServer server, String name) throws Exception {
    ApiClient tenant = server.tenant();
    new TestPackage(folder, name)
        .version(
            "1",
            "",
            """
            binder.handle(SAY, (input, context) -> System.getProperty("%s", "a separate one"));
            """
                .formatted(MARK))
        .push(tenant)
        .expect(201);
    String job =
        tenant
            .post(T + "/jobs", "{\"task\":\"%s::say\",\"payload\":\"x\"}".formatted(name))
            .expect(201)
            .text("id");
    await()
        .atMost(PATIENCE)
        .until(() -> tenant.get(T + "/jobs/" + job).text("state"), "SUCCEEDED"::equals);
    return tenant.get(T + "/jobs/" + job).text("result");
  }

  @Test
  void aTenantThatIsBeingDeletedCountsUntilItsDataIsGone() throws Exception {
    try (TestServer server = new TestServer()) {
      assertThat(process(server, "only")).isEqualTo("that of the server");
      var unused = server.newTenant("leaving");
      server.admin().delete("/v1/tenants/leaving?force=true").expect(200);

      assertThat(process(server, "later")).isEqualTo("a separate one");
    }
  }
}
