package dev.holdfast.cli.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.holdfast.cli.Cli;
import dev.holdfast.cli.connect.ExitCode;
import dev.holdfast.cli.print.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProfileCommandTest {
  private static final String KEY = "holdfast_live_acme_k1_secret";

  @TempDir private Path folder;
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private HttpServer server;

  @BeforeEach
  void open() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          requests.add(
              exchange.getRequestURI()
                  + " "
                  + exchange.getRequestHeaders().getFirst("Authorization"));
          byte[] body = "{\"queues\":[]}".getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().set("Content-Type", "application/json");
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void close() {
    server.stop(0);
  }

  private String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private Path file() {
    return folder.resolve("holdfast").resolve("profiles.json");
  }

  private Cli run(String... args) {
    return with(Map.of(), args);
  }

  private Cli with(Map<String, String> more, String... args) {
    Map<String, String> variables = new HashMap<>(Map.of("XDG_CONFIG_HOME", folder.toString()));
    variables.putAll(more);
    return Cli.with(variables, args);
  }

  private void add(String name, String... more) {
    List<String> args =
        new java.util.ArrayList<>(List.of("profile", "add", name, "--url", url(), "--key", KEY));
    args.addAll(List.of(more));
    Cli added = run(args.toArray(String[]::new));
    assertThat(added.exit()).as(added.err()).isZero();
  }

  @Test
  void profilesAreAddedListedUsedAndRemoved() throws IOException {
    assertThat(run("profile", "list").out()).startsWith("There are no profiles");
    add("one");
    add("two", "--tenant", "other");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
        .isEqualTo("rw-------");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file().getParent())))
        .isEqualTo("rwx------");
    assertThat(run("profile", "list").out())
        .containsPattern("one +yes +" + url() + " +holdfast_live_acme_k1_…")
        .containsPattern("two +no")
        .doesNotContain("secret");

    assertThat(run("queue", "list").exit()).isZero();
    assertThat(run("profile", "use", "two").out()).contains("Commands now use " + url());
    assertThat(run("queue", "list").exit()).isZero();
    assertThat(run("queue", "list", "--profile", "one").exit()).isZero();
    assertThat(with(Map.of("HOLDFAST_PROFILE", "one"), "queue", "list").exit()).isZero();
    assertThat(requests)
        .containsExactly(
            "/v1/tenants/acme/queues?limit=20 Bearer " + KEY,
            "/v1/tenants/other/queues?limit=20 Bearer " + KEY,
            "/v1/tenants/acme/queues?limit=20 Bearer " + KEY,
            "/v1/tenants/acme/queues?limit=20 Bearer " + KEY);

    assertThat(run("profile", "remove", "two").out()).contains("is removed");
    assertThat(Json.read(run("profile", "list", "-o", "json").out()).get("profiles")).hasSize(1);
    Cli gone = run("profile", "use", "onee");
    assertThat(gone.exit()).isEqualTo(ExitCode.NOT_FOUND.number());
    assertThat(gone.err()).contains("There is no profile 'onee'. Did you mean 'one'?");
  }

  @Test
  void flagsOverrideVariablesAndVariablesOverrideTheProfile() {
    add("one");
    Map<String, String> variables =
        Map.of("HOLDFAST_KEY", "holdfast_live_v_k2_s", "HOLDFAST_TENANT", "from-variable");
    with(variables, "queue", "list");
    with(variables, "queue", "list", "--tenant", "from-flag", "--key", "holdfast_live_f_k3_s");
    with(Map.of("HOLDFAST_KEY", "holdfast_live_v_k2_s"), "queue", "list");
    with(variables, "queue", "list", "--profile", "one");

    assertThat(requests)
        .containsExactly(
            "/v1/tenants/from-variable/queues?limit=20 Bearer holdfast_live_v_k2_s",
            "/v1/tenants/from-flag/queues?limit=20 Bearer holdfast_live_f_k3_s",
            "/v1/tenants/v/queues?limit=20 Bearer holdfast_live_v_k2_s",
            "/v1/tenants/acme/queues?limit=20 Bearer " + KEY);
  }

  @Test
  void theKeyOfAProfileIsNotSentToAnotherServer() {
    run("profile", "add", "elsewhere", "--url", "http://127.0.0.1:1", "--key", KEY);

    Cli flag = run("queue", "list", "--url", url());
    assertThat(flag.exit()).isEqualTo(ExitCode.REFUSED.number());
    assertThat(flag.err()).contains("No key for " + url() + " is given");
    assertThat(with(Map.of("HOLDFAST_URL", url()), "queue", "list").exit())
        .isEqualTo(ExitCode.REFUSED.number());
    assertThat(requests).isEmpty();
    assertThat(run("queue", "list").exit()).isEqualTo(ExitCode.UNAVAILABLE.number());
  }

  @Test
  void aFileThatOthersMayReadIsRefused() throws IOException {
    add("one");
    Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString("rw-r--r--"));

    Cli refused = run("queue", "list");
    assertThat(refused.exit()).isEqualTo(ExitCode.FAILED.number());
    assertThat(refused.err()).contains("contains keys, but others may read", "chmod 600");
    assertThat(requests).isEmpty();
  }

  @Test
  void invalidProfilesAreRefusedAndNothingIsStored() {
    for (List<String> args :
        List.of(
            List.of("a b", "--key", KEY),
            List.of("a", "--key", "nothing"),
            List.of("a", "--key", KEY, "--url", "localhost"),
            List.of("a", "--key", KEY, "--url", "http://user:pass@host"))) {
      List<String> all = new java.util.ArrayList<>(List.of("profile", "add"));
      all.addAll(args);
      assertThat(run(all.toArray(String[]::new)).exit())
          .as(args.toString())
          .isEqualTo(ExitCode.USAGE.number());
    }
    assertThat(file()).doesNotExist();
  }

  @Test
  void aServerAndADatabaseAreNotMixed() {
    Cli both = with(Map.of("HOLDFAST_URL", url()), "queue", "list", "--data-folder=/nowhere");
    assertThat(both.err()).contains("no embedded database in /nowhere");
    assertThat(run("queue", "list", "--url", url(), "--data-folder=/nowhere").exit())
        .isEqualTo(ExitCode.USAGE.number());
  }
}
