package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.cli.connect.ExitCode;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.testing.CliServer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Every command as a client of a real server. */
class RemoteCommandTest {
  private static CliServer server;

  @BeforeAll
  static void open() {
    server = new CliServer();
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> done(server.run("workflow", "list")).contains("cli::chain"));
  }

  @AfterAll
  static void close() {
    server.close();
  }

  private static String done(Cli cli) {
    assertThat(cli.exit()).as(cli.err()).isZero();
    assertThat(cli.out()).doesNotContain("\u001b");
    return cli.out();
  }

  private static Cli refused(Cli cli, ExitCode code) {
    assertThat(cli.exit()).as(cli.out() + cli.err()).isEqualTo(code.number());
    assertThat(cli.err()).isNotBlank();
    return cli;
  }

  private static JsonNode json(Cli cli) {
    return Json.read(done(cli));
  }

  private static String start(String... more) {
    List<String> args = new java.util.ArrayList<>(List.of("run", "start"));
    args.addAll(List.of(more));
    args.addAll(List.of("-o", "json"));
    return json(server.run(args.toArray(String[]::new))).get("id").stringValue();
  }

  private static void awaitStep(String run, String text) {
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> done(server.run("run", "show", run)), out -> out.contains(text));
  }

  @Test
  void aRunIsStartedWatchedShownAndListed() {
    Cli waited = server.run("run", "start", "cli::chain", "--input={\"a\":1}", "--wait");
    assertThat(done(waited))
        .containsPattern("Run .* of workflow 'cli::chain' is started")
        .contains("CREATED", "STEP_SUCCEEDED second", "ended SUCCEEDED after");
    String id = waited.out().split(" ", -1)[1];

    assertThat(done(server.run("run", "watch", id))).contains("ended SUCCEEDED");
    assertThat(json(server.run("run", "watch", id, "--json")).get("state").stringValue())
        .isEqualTo("SUCCEEDED");
    assertThat(done(server.run("run", "show", id)))
        .containsPattern("state +SUCCEEDED")
        .containsPattern("✔ +first")
        .containsPattern("result +\\{\"a\":1}");
    assertThat(json(server.run("run", "show", id, "-o", "json")).get("id").stringValue())
        .isEqualTo(id);
    assertThat(done(server.run("run", "list", "--workflow=cli::chain")))
        .containsPattern(id + " +cli::chain +SUCCEEDED +2 of 2");
    assertThat(json(server.run("run", "list", "--json")).get("runs")).isNotEmpty();
    assertThat(done(server.run("run", "list", "--count"))).containsPattern("SUCCEEDED +\\d");
    assertThat(done(server.run("run", "list", "--tag=none")))
        .isEqualToIgnoringNewLines("There are no runs.");
    assertThat(done(server.run("run", "events", id, "--limit=1")))
        .contains("CREATED", "add --after 1");
    assertThat(done(server.run("graph", "--run", id))).contains("✔");
    assertThat(done(server.run("graph", "--workflow", "cli::chain"))).contains("task cli::echo");
    assertThat(done(server.run("run", "rerun", id, "--from=second"))).contains("repeats run " + id);
  }

  @Test
  void aRunIsPausedResumedSignalledAndCancelled() {
    String id = start("cli::approval", "--label=two\u001b[31m\nlines", "--tag=held");
    awaitStep(id, "Waits for signal");
    assertThat(done(server.run("run", "list", "--tag=held"))).contains("two [31m lines");
    assertThat(done(server.run("run", "pause", id))).contains("is paused");
    assertThat(done(server.run("run", "resume", id))).contains("is resumed");
    Cli again = refused(server.run("run", "resume", id), ExitCode.CONFLICT);
    assertThat(again.err()).contains("only a paused one can be", "[RUN_STATE]");
    refused(server.run("run", "signal", id, "aproved"), ExitCode.NOT_FOUND);
    assertThat(done(server.run("run", "signal", id, "approved", "--payload={}")))
        .contains("is sent");
    assertThat(done(server.run("run", "watch", id))).contains("ended SUCCEEDED");

    String other = start("cli::approval");
    assertThat(done(server.run("run", "cancel", other, "--reason=a mistake")))
        .contains("cancelled");
    Cli watch = server.run("run", "watch", other);
    assertThat(watch.exit()).isEqualTo(ExitCode.RUN_FAILED.number());
    assertThat(watch.out()).contains("ended CANCELLED", "a mistake");
  }

  @Test
  void aRunThatFailsHasItsOwnExitCodeAndEndsInTheDeadLetterQueue() {
    Cli failed = server.run("run", "start", "cli::failing", "--wait");
    assertThat(failed.exit()).isEqualTo(ExitCode.RUN_FAILED.number());
    assertThat(failed.out()).contains("ended FAILED");
    String id = failed.out().split(" ", -1)[1];
    assertThat(done(server.run("run", "show", id)))
        .contains("attempt 1 failed", "No  [31mboxes left");
    assertThat(done(server.run("run", "retry", id))).contains("continues");
    assertThat(server.run("run", "watch", id).exit()).isEqualTo(ExitCode.RUN_FAILED.number());

    String job = json(server.run("job", "enqueue", "cli::fail", "--json")).get("id").stringValue();
    Cli watched = server.run("job", "watch", job);
    assertThat(watched.exit()).isEqualTo(ExitCode.RUN_FAILED.number());
    assertThat(watched.out()).contains("FAILED, attempt 1");
    assertThat(done(server.run("dlq", "list", "--task=cli::fail"))).contains(job);
    assertThat(json(server.run("dlq", "list", "--json")).get("jobs")).isNotEmpty();
    assertThat(done(server.run("dlq", "retry", job))).contains("is ready again");
    server.run("job", "watch", job);
    assertThat(done(server.run("job", "retry", job))).contains("is ready again");
    server.run("job", "watch", job);
    assertThat(done(server.run("dlq", "retry", "--all", "--task=cli::fail", "--tag=none")))
        .contains("0 jobs are ready again");
    Cli dry = server.run("dlq", "purge", "--task=cli::fail");
    assertThat(dry.exit()).isEqualTo(ExitCode.FAILED.number());
    assertThat(dry.out()).contains("would be deleted");
    assertThat(done(server.run("dlq", "purge", "--yes", "--created-after=2999-01-01T00:00:00Z")))
        .contains("0 dead-lettered jobs were deleted");
    assertThat(done(server.run("dlq", "purge", "--task=cli::fail", "--yes")))
        .contains("jobs were deleted");
  }

  @Test
  void aJobIsEnqueuedShownListedAndControlled() {
    Cli enqueue =
        server.run(
            "job", "enqueue", "mail::send", "{\"to\":\"ada\"}", "--in=1h", "--tag=j", "--unique=u");
    assertThat(done(enqueue)).contains("is enqueued.");
    String id = enqueue.out().split(" ", -1)[1];
    assertThat(done(server.run("job", "enqueue", "mail::send", "--unique=u")))
        .contains("already has the unique key 'u'");
    assertThat(done(server.run("job", "show", id)))
        .containsPattern("state +SCHEDULED")
        .contains("[NOT_DUE]")
        .containsPattern("payload +\\{\"to\":\"ada\"}");
    assertThat(
            json(server.run("job", "show", id, "--json"))
                .get("why")
                .get(0)
                .get("code")
                .stringValue())
        .isEqualTo("NOT_DUE");
    assertThat(done(server.run("job", "list", "--tag=j", "--state=scheduled"))).contains(id);
    assertThat(done(server.run("job", "list", "--tag=j", "--count")))
        .containsPattern("SCHEDULED +1");
    assertThat(done(server.run("job", "requeue", id))).contains("is ready");
    assertThat(done(server.run("job", "cancel", id))).contains("is cancelled");
    Cli again = refused(server.run("job", "cancel", id), ExitCode.CONFLICT);
    assertThat(again.err()).contains("already ended", "[JOB_STATE]");
    JsonNode problem =
        Json.read(refused(server.run("job", "cancel", id, "--json"), ExitCode.CONFLICT).err());
    assertThat(problem.get("code").stringValue()).isEqualTo("JOB_STATE");
    refused(server.run("job", "signal", id, "go"), ExitCode.CONFLICT);
    Cli wrong = refused(server.run("job", "enqueue", "mail::send", "--tag="), ExitCode.USAGE);
    assertThat(wrong.err()).contains("[INVALID_REQUEST]");

    done(server.run("job", "enqueue", "mail::send", "--tag=j"));
    String first = done(server.run("job", "list", "--tag=j", "--limit=1"));
    assertThat(first).contains("There are more: add --cursor ");
    String cursor = first.strip().replaceFirst("(?s).*--cursor ", "");
    assertThat(done(server.run("job", "list", "--tag=j", "--cursor", cursor)))
        .doesNotContain(first.split("\\s+", -1)[8]);
  }

  @Test
  void queuesAreListedPausedLimitedAndResumed() {
    done(server.run("job", "enqueue", "mail::send", "--queue=post"));
    assertThat(done(server.run("queue", "pause", "post", "--reason=holiday")))
        .contains("is paused");
    assertThat(done(server.run("queue", "limit", "post", "3"))).contains("limited to 3");
    assertThat(done(server.run("queue", "list"))).containsPattern("post +yes: holiday +3 +1");
    assertThat(json(server.run("queue", "list", "--json")).get("queues")).isNotEmpty();
    assertThat(done(server.run("queue", "limit", "post", "none"))).contains("no limit");
    assertThat(done(server.run("queue", "resume", "post"))).contains("no longer paused");
    Cli typo = refused(server.run("queue", "pause", "psot"), ExitCode.NOT_FOUND);
    assertThat(typo.err()).contains("Did you mean 'post'?");
    assertThat(done(server.run("audit", "list", "--action=queue.pause")))
        .contains("post", "holiday", "DONE");
  }

  @Test
  void schedulesTriggersAndEventsAreManaged() {
    assertThat(
            done(
                server.run(
                    "schedule", "put", "daily", "cli::echo", "{\"n\":1}", "--cron=0 8 * * *")))
        .contains("is stored");
    assertThat(done(server.run("schedule", "list"))).containsPattern("daily +no .*cli::echo");
    assertThat(done(server.run("schedule", "show", "daily"))).containsPattern("next +20");
    assertThat(done(server.run("schedule", "pause", "daily"))).contains("is paused");
    assertThat(done(server.run("schedule", "resume", "daily"))).contains("T08:00:00Z");
    assertThat(done(server.run("schedule", "fire", "daily"))).contains("enqueued job");
    assertThat(done(server.run("schedule", "delete", "daily"))).contains("is deleted");
    refused(server.run("schedule", "show", "daily"), ExitCode.NOT_FOUND);
    refused(server.run("schedule", "put", "x", "cli::echo", "--cron=often"), ExitCode.USAGE);

    assertThat(
            done(
                server.run(
                    "trigger",
                    "put",
                    "paid",
                    "order.paid",
                    "cli::echo",
                    "--where={\"field\":\"total\",\"isGreaterThan\":10}")))
        .contains("is stored");
    assertThat(done(server.run("trigger", "list")))
        .containsPattern("paid .*total is greater than 10");
    assertThat(done(server.run("trigger", "show", "paid"))).containsPattern("event +order.paid");
    assertThat(done(server.run("event", "publish", "order.paid", "{\"total\":5}")))
        .contains("NOT_MATCHED");
    assertThat(
            json(server.run("event", "publish", "order.paid", "{\"total\":50}", "--json"))
                .get("outcomes")
                .get(0)
                .get("job")
                .isNull())
        .isFalse();
    assertThat(done(server.run("trigger", "pause", "paid"))).contains("is paused");
    assertThat(done(server.run("event", "publish", "order.paid"))).contains("No active trigger");
    assertThat(done(server.run("trigger", "resume", "paid"))).contains("no longer paused");
    assertThat(done(server.run("trigger", "delete", "paid"))).contains("is deleted");
    refused(server.run("trigger", "show", "paid"), ExitCode.NOT_FOUND);
  }

  @Test
  void tenantsAndKeysAreManaged() {
    Cli created = server.admin("tenant", "create", "acme");
    assertThat(done(created)).contains("Tenant 'acme' is created.", "shown once");
    String key = created.out().strip().replaceFirst("(?s).*\\s", "");
    refused(server.admin("tenant", "create", "acme"), ExitCode.CONFLICT);
    assertThat(done(server.admin("tenant", "list"))).containsPattern("acme +ACTIVE");
    assertThat(done(server.admin("tenant", "show", "acme"))).containsPattern("keepHistory +14d00h");
    assertThat(done(server.as(key, "tenant", "settings", "--set", "keepHistory=P2D")))
        .containsPattern("keepHistory +2d00h");
    assertThat(done(server.as(key, "key", "me"))).containsPattern("tenant +acme");

    Cli viewer = server.as(key, "key", "create", "for a screen", "--preset=viewer");
    assertThat(done(viewer)).contains("is created.", "holdfast_live_acme_");
    String viewerKey = viewer.out().strip().replaceFirst("(?s).*\\s", "");
    String id = viewerKey.split("_", -1)[3];
    assertThat(done(server.as(viewerKey, "queue", "list"))).contains("queue");
    Cli forbidden = refused(server.as(viewerKey, "job", "enqueue", "a::b"), ExitCode.REFUSED);
    assertThat(forbidden.err()).contains("The key may not do this", "[FORBIDDEN]");
    assertThat(done(server.as(key, "key", "list"))).containsPattern(id + " +for a screen +valid");
    assertThat(done(server.as(key, "key", "show", id))).contains("for a screen");
    assertThat(done(server.as(key, "key", "rotate", id, "--overlap=1h")))
        .contains("replaces key " + id);
    assertThat(done(server.as(key, "key", "revoke", id))).contains("is revoked");
    Cli revoked = refused(server.as(viewerKey, "queue", "list"), ExitCode.REFUSED);
    assertThat(revoked.err()).contains("A valid key is required", "[UNAUTHENTICATED]");
    assertThat(json(server.as(key, "audit", "list", "--json")).get("entries")).isNotEmpty();
    assertThat(done(server.admin("audit", "list", "--installation")))
        .contains("tenant.create", "acme");

    // A key of the installation acts in the tenant that is named.
    assertThat(done(server.admin("queue", "list", "--tenant=acme"))).doesNotContain("post");
    assertThat(done(server.admin("tenant", "suspend", "acme"))).contains("is suspended");
    Cli suspended = refused(server.as(key, "job", "enqueue", "a::b"), ExitCode.CONFLICT);
    assertThat(suspended.err()).contains("[TENANT_SUSPENDED]");
    assertThat(done(server.admin("tenant", "resume", "acme"))).contains("is active");
    assertThat(done(server.admin("tenant", "delete", "acme", "--force"))).contains("dropped at");
    assertThat(done(server.admin("tenant", "restore", "acme"))).contains("is restored");
    assertThat(done(server.admin("tenant", "resume", "acme"))).contains("is active");
    assertThat(done(server.as(key, "job", "list"))).isNotNull();
    assertThat(done(server.admin("tenant", "delete", "acme", "--force"))).contains("dropped at");
    refused(server.run("tenant", "list"), ExitCode.REFUSED);
  }

  @Test
  void keysOfTheInstallationAreManaged() {
    Cli created = server.admin("key", "create", "night shift", "--installation", "--expires=90d");
    assertThat(done(created)).contains("is created.", "holdfast_live_admin_");
    String key = created.out().strip().replaceFirst("(?s).*\\s", "");
    String id = key.split("_", -1)[3];
    assertThat(done(server.as(key, "key", "list", "--installation")))
        .containsPattern(id + " +night shift +valid");
    assertThat(done(server.as(key, "key", "show", id, "--installation"))).contains("night shift");
    assertThat(done(server.as(key, "key", "rotate", id, "--installation", "--overlap=1h")))
        .contains("replaces key " + id);
    assertThat(done(server.admin("key", "revoke", id, "--installation"))).contains("is revoked");
    refused(server.as(key, "key", "list", "--installation"), ExitCode.REFUSED);
    refused(server.run("key", "list", "--installation"), ExitCode.REFUSED);
    Cli limited =
        refused(
            server.admin("key", "create", "x", "--installation", "--preset=viewer"),
            ExitCode.USAGE);
    assertThat(limited.err()).contains("can do everything");
    assertThat(done(server.admin("audit", "list", "--installation"))).contains("key.revoke", id);
  }

  @Test
  void nodesAndLeasesAreListedWithTheKeyOfTheInstallation() {
    String id =
        json(server.admin("node", "list", "--json")).get("nodes").get(0).get("id").stringValue();
    assertThat(done(server.admin("node", "list"))).containsPattern(id + " .*yes");
    assertThat(done(server.admin("node", "show", id))).contains("cli::echo");
    assertThat(done(server.admin("node", "mode", id, "full", "--task=ml::*"))).contains("notified");
    assertThat(done(server.admin("node", "mode", id, "disabled", "--task=bi::*")))
        .contains("notified");
    assertThat(done(server.admin("node", "clear", id, "--task=ml::*"))).contains("notified");
    assertThat(done(server.admin("node", "show", id))).contains("bi::*").doesNotContain("ml::*");
    assertThat(done(server.admin("node", "clear", id))).contains("notified");
    assertThat(done(server.admin("node", "drain", id))).contains("notified");
    assertThat(done(server.admin("node", "mode", id, "full"))).contains("notified");
    refused(server.admin("node", "show", "nobody"), ExitCode.NOT_FOUND);
    refused(server.run("node", "list"), ExitCode.REFUSED);
    assertThat(done(server.admin("lease", "list"))).contains("There are no leases.");
  }

  @Test
  void whatDoesNotExistIsNotFound() {
    String id = UUID.randomUUID().toString();
    for (List<String> args :
        List.of(
            List.of("run", "show", id),
            List.of("run", "watch", id),
            List.of("run", "events", id),
            List.of("job", "show", id),
            List.of("job", "watch", id),
            List.of("workflow", "show", "a::b"),
            List.of("run", "start", "a::b"),
            List.of("graph", "--workflow", "cli::chian"),
            List.of("key", "show", "nokey"))) {
      refused(server.run(args.toArray(String[]::new)), ExitCode.NOT_FOUND);
    }
    assertThat(server.run("graph", "--workflow", "cli::chian").err())
        .contains("Did you mean 'cli::chain'?");
  }

  @ParameterizedTest
  @ValueSource(strings = {"not-a-key", "holdfast_live_default_aaaaaaaaaaaa_bbbbbb"})
  void aWrongKeyIsRefused(String key) {
    refused(server.as(key, "queue", "list"), ExitCode.REFUSED);
  }
}
