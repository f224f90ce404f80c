package dev.holdfast.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.Page;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunFilter;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.Step;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.cli.Cli;
import dev.holdfast.cli.connect.Changes;
import dev.holdfast.cli.connect.ExitCode;
import dev.holdfast.cli.connect.Polling;
import dev.holdfast.cli.connect.Sessions;
import dev.holdfast.cli.print.Json;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.postgres.PostgresSettings;
import dev.holdfast.postgres.PostgresStore;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** {@code holdfast run} on a database with a node. */
class RunCommandTest {
  record Order(String id) {}

  record Approval(boolean approved) {}

  private static final TaskType<Order, Order> PACK =
      TaskType.of("cli::pack", Order.class, Order.class).with(o -> o.retry(RetryPolicy.NEVER));
  private static final TaskType<Approval, Void> SHIP = TaskType.of("cli::ship", Approval.class);
  private static final TaskType<Object, Void> REFUND = TaskType.of("cli::refund", Object.class);

  private static final Workflow<Order, Order> FULFIL =
      Workflow.defineWithResult(
          "cli::fulfil",
          Order.class,
          flow -> {
            Step<Order> pack = flow.step("pack", PACK, flow.input()).compensate(REFUND);
            flow.step(
                "ship", SHIP, flow.awaitSignal("approval", "approved", Approval.class).after(pack));
            return pack;
          });

  private static final Workflow<Order, Void> SECOND_VERSION =
      Workflow.define(
          "cli::versions",
          Order.class,
          flow -> {
            flow.awaitSignal("go", "go", Object.class);
            flow.step("pack", PACK, flow.input()).after("go");
          });

  private static final Workflow<Order, Void> FIRST_VERSION =
      Workflow.define(
          "cli::versions", Order.class, flow -> flow.awaitSignal("go", "go", Object.class));

  private static final TestDatabase DATABASE = SharedServer.freshDatabase();
  private static final AtomicBoolean BROKEN = new AtomicBoolean();
  private static PostgresStore store;
  private static Holdfast client;
  private static HoldfastNode node;

  @BeforeAll
  static void open() {
    store =
        PostgresStore.connect(
            PostgresSettings.builder(DATABASE.jdbcUrl())
                .user(DATABASE.user())
                .password(DATABASE.password())
                .build());
    client = HoldfastClient.on(store);
    node =
        HoldfastNode.on(store)
            .handle(PACK, (order, context) -> pack(order))
            .handle(SHIP, (approval, context) -> {})
            .handle(REFUND, (what, context) -> {})
            .workflow(FULFIL)
            .start();
    await().until(() -> store.runs().definitions().names().contains(FULFIL.name()));
  }

  private static Order pack(Order order) {
    if (BROKEN.get()) {
      throw new IllegalStateException("No boxes left");
    }
    return new Order(order.id() + "-packed");
  }

  @BeforeEach
  void repair() {
    BROKEN.set(false);
  }

  @AfterAll
  static void close() {
    node.close();
    client.close();
    store.close();
    DATABASE.close();
  }

  private static Cli holdfast(String... args) {
    return Cli.on(DATABASE, args);
  }

  private static RunId start(String... more) {
    String[] args = new String[more.length + 6];
    System.arraycopy(
        new String[] {"run", "start", "cli::fulfil", "--input", "{\"id\": \"7\"}", "--json"},
        0,
        args,
        0,
        6);
    System.arraycopy(more, 0, args, 6, more.length);
    Cli started = holdfast(args);
    assertThat(started.exit()).as(started.err()).isZero();
    return RunId.parse(Json.read(started.out()).get("id").stringValue());
  }

  private static Run find(RunId id) {
    return client.runs().find(id).orElseThrow();
  }

  private static Run awaitRun(RunId id, RunState state) {
    await().until(() -> find(id).state() == state);
    return find(id);
  }

  private static void awaitStep(RunId id, String step, StepState state) {
    await().until(() -> find(id).step(step).orElseThrow().state() == state);
  }

  @Test
  void aRunIsStartedSignalledShownAndWatchedWithoutItsCode() {
    RunId id = start("--tag=web", "--label=order 7", "--priority=7", "--unique=o-7");
    awaitStep(id, "approval", StepState.WAITING);

    Cli twice = holdfast("run", "start", "cli::fulfil", "--unique=o-7");
    assertThat(twice.exit()).isZero();
    assertThat(twice.out())
        .contains("No run was started: run %s already has the unique key 'o-7'.".formatted(id));
    assertThat(holdfast("run", "show", id.toString()).out())
        .containsPattern("state +RUNNING")
        .containsPattern("label +order 7")
        .containsPattern("tags +web")
        .containsPattern("✔ +pack +succeeded")
        .containsPattern("◷ +approval +waiting +signal approved")
        .containsPattern("○ +ship +pending")
        .contains("Waits for signal 'approved'.", "Waits for approval.")
        .contains("7-packed");

    Cli signal =
        holdfast(
            "run", "signal", id.toString(), "approved", "--payload={\"approved\": true}", "--id=x");
    assertThat(signal.exit()).as(signal.err()).isZero();
    Cli watch = holdfast("run", "watch", id.toString());
    assertThat(watch.exit()).isZero();
    assertThat(watch.out())
        .contains("CREATED")
        .contains("STEP_SUCCEEDED pack")
        .contains("STEP_WAITING approval", "STEP_SUCCEEDED approval")
        .contains("Run %s ended SUCCEEDED after".formatted(id))
        .doesNotContain("\u001b");

    JsonNode shown = Json.read(holdfast("run", "show", id.toString(), "--json").out());
    assertThat(shown.get("state").stringValue()).isEqualTo("SUCCEEDED");
    assertThat(shown.get("input").get("id").stringValue()).isEqualTo("7");
    assertThat(shown.get("result").get("id").stringValue()).isEqualTo("7-packed");
    assertThat(shown.get("steps").get(0).get("attempts").intValue()).isEqualTo(1);
    assertThat(shown.get("steps").get(0).get("output").get("id").stringValue())
        .isEqualTo("7-packed");
    JsonNode events = Json.read(holdfast("run", "events", id.toString(), "--json").out());
    assertThat(events.get("events").get(0).get("kind").stringValue()).isEqualTo("CREATED");
    assertThat(holdfast("run", "events", id.toString(), "--limit=1").out())
        .contains("CREATED", "There may be more: add --after 1")
        .doesNotContain("ENDED");
  }

  @Test
  void aFailedRunIsShownWithItsErrorsThenRetriedAndRepeated() {
    BROKEN.set(true);
    RunId id = start();
    awaitRun(id, RunState.FAILED);

    assertThat(holdfast("run", "show", id.toString()).out())
        .containsPattern("state +FAILED")
        .containsPattern("✘ +pack +failed")
        .contains("attempt 1 failed", "java.lang.IllegalStateException: No boxes left");
    Cli watch = holdfast("run", "watch", id.toString());
    assertThat(watch.exit()).isEqualTo(ExitCode.RUN_FAILED.number());
    assertThat(watch.out()).contains("STEP_FAILED pack", "ended FAILED");

    BROKEN.set(false);
    assertThat(holdfast("run", "retry", id.toString()).exit()).isZero();
    awaitStep(id, "approval", StepState.WAITING);

    JsonNode rerun =
        Json.read(
            holdfast(
                    "run",
                    "rerun",
                    id.toString(),
                    "--from=approval",
                    "--input={\"id\": \"8\"}",
                    "--json")
                .out());
    RunId again = RunId.parse(rerun.get("id").stringValue());
    Run read = find(again);
    assertThat(read.origin()).contains(id);
    assertThat(read.input()).contains("{\"id\":\"8\"}");
    assertThat(read.step("pack").orElseThrow().output().orElseThrow()).contains("7-packed");

    Cli typo = holdfast("run", "rerun", id.toString(), "--from=pak");
    assertThat(typo.exit()).isEqualTo(ExitCode.USAGE.number());
    assertThat(typo.err()).contains("has no step 'pak': did you mean 'pack'?");

    assertThat(holdfast("run", "cancel", again.toString(), "--reason=by mistake").out())
        .contains("is being cancelled");
    assertThat(awaitRun(again, RunState.CANCELLED).reason().orElseThrow()).contains("by mistake");
    assertThat(holdfast("run", "cancel", id.toString()).exit()).isZero();
  }

  @Test
  void aRerunGetsAnotherOutputOfAStepThatItKeeps() {
    RunId id = start();
    awaitStep(id, "approval", StepState.WAITING);

    Cli rerun =
        holdfast(
            "run",
            "rerun",
            id.toString(),
            "--from=approval",
            "--step-output=pack={\"id\": \"9=9\"}",
            "--json");
    assertThat(rerun.exit()).as(rerun.err()).isZero();
    RunId again = RunId.parse(Json.read(rerun.out()).get("id").stringValue());
    assertThat(find(again).step("pack").orElseThrow().output()).contains("{\"id\":\"9=9\"}");

    Cli runsAgain =
        holdfast("run", "rerun", id.toString(), "--from=approval", "--step-output=ship={}");
    assertThat(runsAgain.exit()).isEqualTo(ExitCode.USAGE.number());
    assertThat(runsAgain.err()).contains("'ship' cannot be replaced").contains("runs again");
    Cli noStep = holdfast("run", "rerun", id.toString(), "--step-output={}");
    assertThat(noStep.exit()).isEqualTo(ExitCode.USAGE.number());
    assertThat(noStep.err()).contains("'{}' names no step: use STEP=JSON");
    assertThat(
            holdfast(
                    "run",
                    "rerun",
                    id.toString(),
                    "--from=approval",
                    "--step-output=pack=1",
                    "--step-output=pack=2")
                .err())
        .contains("'pack' is given twice");
    assertThat(holdfast("run", "rerun", id.toString(), "--step-output=pack={").err())
        .contains("'{' is not JSON");
    client.runs().cancel(again, "done");
    client.runs().cancel(id, "done");
  }

  @Test
  void theElementsOfAMapAreListedInPages() {
    Workflow<List<Order>, Void> workflow =
        Workflow.define(
            "cli::map",
            new TypeRef<List<Order>>() {},
            flow -> flow.map("each", PACK, flow.input()).labelItems("id"));
    RunId id = client.runs().start(workflow, List.of(new Order("a"), new Order("b"))).id();
    awaitRun(id, RunState.SUCCEEDED);

    Cli first = holdfast("run", "items", id.toString(), "each", "--limit=1");
    assertThat(first.exit()).as(first.err()).isZero();
    assertThat(first.out())
        .containsPattern("0 +a +SUCCEEDED +\\{\"id\":\"a-packed\"}")
        .doesNotContain("b-packed");
    String cursor = first.out().strip().replaceFirst("(?s).*--cursor ", "");
    assertThat(holdfast("run", "items", id.toString(), "each", "--cursor=" + cursor).out())
        .containsPattern("1 +b +SUCCEEDED")
        .doesNotContain("a-packed");
    Cli noMap = holdfast("run", "items", id.toString(), "eahc");
    assertThat(noMap.exit()).isEqualTo(ExitCode.USAGE.number());
    assertThat(noMap.err()).contains("has no step 'eahc'");
    assertThat(holdfast("run", "items", UUID.randomUUID().toString(), "each").exit())
        .isEqualTo(ExitCode.NOT_FOUND.number());
  }

  @Test
  void aStrandedRunIsListedAndOneThatLostItsJobIsRecovered() throws Exception {
    Workflow<Order, Void> workflow =
        Workflow.define(
            "cli::stranded",
            Order.class,
            flow ->
                flow.step(
                    "wrap", TaskType.of("cli::wrap", Order.class, Order.class), flow.input()));
    RunId other = start();
    RunId id = client.runs().start(workflow, new Order("1")).id();

    assertThat(holdfast("run", "list", "--stranded").out())
        .contains(id.toString(), "VERSION_STRANDED")
        .doesNotContain(other.toString());
    assertThat(holdfast("run", "list", "--stranded", "--count").out())
        .containsPattern("RUNNING +1");

    try (Connection connection = DATABASE.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("delete from holdfast.job where run_id = '%s'".formatted(id));
    }
    Cli recover = holdfast("run", "recover");
    assertThat(recover.exit()).as(recover.err()).isZero();
    assertThat(recover.out())
        .contains(id.toString(), "RESULT_NOT_AVAILABLE")
        .contains("Repaired as listed (1); the runs continue.");
    assertThat(find(id).state()).isEqualTo(RunState.FAILED);
    assertThat(holdfast("run", "recover").out()).contains("No run needed a repair.");
    client.runs().cancel(other, "done");
  }

  @Test
  void aRunIsPausedAndResumed() {
    RunId id = start();
    awaitStep(id, "approval", StepState.WAITING);

    assertThat(holdfast("run", "pause", id.toString()).out()).contains("is paused");
    assertThat(find(id).state()).isEqualTo(RunState.PAUSED);
    assertThat(holdfast("run", "resume", id.toString()).out()).contains("is resumed");
    assertThat(find(id).state()).isEqualTo(RunState.RUNNING);

    Cli again = holdfast("run", "resume", id.toString());
    assertThat(again.exit()).isEqualTo(ExitCode.CONFLICT.number());
    assertThat(again.err())
        .contains(
            "Run %s is RUNNING and cannot be resumed: only a paused one can be.".formatted(id));
    client.runs().cancel(id, "done");
  }

  @Test
  void runsAreListedByFilterInPagesAndCounted() {
    RunId one = start("--tag=list");
    RunId two = start("--tag=list");
    awaitRun(one, RunState.RUNNING);
    awaitRun(two, RunState.RUNNING);

    Cli first = holdfast("run", "list", "--tag=list", "--limit=1");
    assertThat(first.out())
        .contains(two.toString(), "cli::fulfil", "RUNNING")
        .contains("There are more: add --cursor ")
        .doesNotContain(one.toString());
    String cursor = first.out().strip().replaceFirst("(?s).*--cursor ", "");
    assertThat(holdfast("run", "list", "--tag=list", "--cursor=" + cursor).out())
        .contains(one.toString())
        .doesNotContain(two.toString())
        .doesNotContain("There are more");
    assertThat(
            Json.read(holdfast("run", "list", "--tag=list", "--state=running", "--json").out())
                .get("runs"))
        .hasSize(2);
    assertThat(holdfast("run", "list", "--tag=list", "--count").out())
        .containsPattern("RUNNING +2");
    assertThat(holdfast("run", "list", "--workflow=cli::other").out())
        .doesNotContain(one.toString());
    assertThat(holdfast("run", "list", "--limit=0").exit()).isEqualTo(2);
    client.runs().cancel(one, "done");
    client.runs().cancel(two, "done");
  }

  @Test
  void aRunIsMovedToAnotherVersion() {
    RunId id = client.runs().start(FIRST_VERSION, new Order("1")).id();
    client.runs().start(SECOND_VERSION, new Order("2"));
    String old = find(id).definition();

    JsonNode versions = Json.read(holdfast("workflow", "show", "cli::versions", "--json").out());
    String target = versions.get("versions").get(0).get("hash").stringValue();
    assertThat(target).isNotEqualTo(old);
    assertThat(holdfast("workflow", "list").out()).containsPattern("cli::versions +" + target);

    Cli dry = holdfast("run", "move", id.toString(), "--to", target.substring(0, 12), "--dry-run");
    assertThat(dry.out()).contains("+ step 'pack' is new", "Nothing was changed");
    assertThat(find(id).definition()).isEqualTo(old);
    Cli moved = holdfast("run", "move", id.toString(), "--to", target.substring(0, 12));
    assertThat(moved.out()).contains("is moved to " + target);
    assertThat(find(id).definition()).isEqualTo(target);

    Cli unknown = holdfast("run", "move", id.toString(), "--to=zzz");
    assertThat(unknown.exit()).isEqualTo(ExitCode.NOT_FOUND.number());
    assertThat(unknown.err())
        .contains(
            "No version of workflow 'cli::versions' has a hash that starts with 'zzz'", target);
    client.runs().cancel(id, "done");
  }

  @Test
  void aGraphIsDrawnFromTheDatabase() {
    assertThat(holdfast("graph", "--workflow", "cli::fulfil").out())
        .isEqualToNormalizingNewlines(
            """
            cli::fulfil
             ●  pack      task cli::pack
             ●  approval  signal approved
             ●  ship      task cli::ship
            compensation, if the run fails or is cancelled:
             ●  undo:pack  task cli::refund
            """);
    RunId id = start();
    awaitStep(id, "approval", StepState.WAITING);
    assertThat(holdfast("graph", "--run", id.toString()).out()).containsPattern("✔ +pack");
    assertThat(holdfast("graph", "--run", id.toString(), "--mermaid").out())
        .contains("class s0 succeeded", "class s1 waiting", "s0 --> s1");

    assertThat(holdfast("graph", "--run", id.toString(), "--output", "json").out())
        .contains("\"name\" : \"approval\"", "\"state\" : \"WAITING\"");

    Cli typo = holdfast("graph", "--workflow", "cli::fulfill");
    assertThat(typo.exit()).isEqualTo(ExitCode.NOT_FOUND.number());
    assertThat(typo.err()).contains("Did you mean 'cli::fulfil'?");
    assertThat(holdfast("graph", "--run", "x").exit()).isEqualTo(2);
    client.runs().cancel(id, "done");
  }

  @Test
  void onATerminalTheGraphIsRedrawnUntilTheRunEnds() throws Exception {
    RunId id = start();
    awaitStep(id, "approval", StepState.WAITING);
    StringWriter screen = new StringWriter();
    PrintWriter out = new PrintWriter(screen, true);
    Thread watcher =
        Thread.ofVirtual()
            .start(() ->
                Sessions.on(
                    DATABASE,
                    out,
                    session ->
                        new RunWatch(session, id.toString(), true)
                            .follow(
                                new Polling(
                                    Changes.every(Duration.ofMillis(100)),
                                    Duration.ofMinutes(1),
                                    out))));
    await().until(() -> screen.toString().contains("◷"));
    client.runs().signal(id, "approved", new Approval(true));

    assertThat(watcher.join(Duration.ofSeconds(20))).isTrue();
    List<String> pictures = List.of(screen.toString().split(Pattern.quote(RunWatch.CLEAR)));
    assertThat(pictures).hasSizeGreaterThan(2);
    assertThat(pictures.get(1)).contains("RUNNING", "◷  approval");
    assertThat(pictures.getLast()).contains("SUCCEEDED", "✔  ship").endsWith(".%n".formatted());
  }

  @Test
  void wrongRequestsNameTheValueAndTheRemedyAndChangeNothing() {
    String unknown = UUID.randomUUID().toString();
    for (String action :
        List.of("show", "watch", "pause", "resume", "cancel", "retry", "rerun", "events")) {
      Cli cli = holdfast("run", action, unknown);
      assertThat(cli.exit()).as(action).isEqualTo(ExitCode.NOT_FOUND.number());
      assertThat(cli.err())
          .as(action)
          .contains("Run %s does not exist, or is no longer kept".formatted(unknown));
    }
    int before = client.runs().list(RunFilter.all(), Page.first(1000)).size();

    Cli workflow = holdfast("run", "start", "cli::fulfl");
    assertThat(workflow.exit()).isEqualTo(ExitCode.NOT_FOUND.number());
    assertThat(workflow.err())
        .contains("No workflow 'cli::fulfl' is registered: did you mean 'cli::fulfil'?");
    Cli notJson = holdfast("run", "start", "cli::fulfil", "--input={id");
    assertThat(notJson.exit()).isEqualTo(2);
    assertThat(notJson.err()).contains("'{id' is not JSON");
    assertThat(holdfast("run", "start", "cli::fulfil", "--priority=12").exit()).isEqualTo(2);
    assertThat(holdfast("run", "show", "seven").exit()).isEqualTo(2);
    assertThat(client.runs().list(RunFilter.all(), Page.first(1000))).hasSize(before);

    RunId id = start();
    awaitStep(id, "approval", StepState.WAITING);
    Cli signal = holdfast("run", "signal", id.toString(), "aproved");
    assertThat(signal.exit()).isEqualTo(ExitCode.NOT_FOUND.number());
    assertThat(signal.err())
        .contains("awaits signal 'aproved'; nothing was sent: did you mean 'approved'?");
    assertThat(holdfast("run", "signal", id.toString(), "approved", "--payload={").exit())
        .isEqualTo(2);
    assertThat(find(id).step("approval").orElseThrow().state()).isEqualTo(StepState.WAITING);
    client.runs().cancel(id, "done");

    awaitRun(id, RunState.CANCELLED);
    Cli late = holdfast("run", "signal", id.toString(), "approved");
    assertThat(late.exit()).isEqualTo(ExitCode.CONFLICT.number());
    assertThat(late.err()).contains("is CANCELLED and cannot be signalled");
    Cli command = holdfast("run", "strat", "cli::fulfil");
    assertThat(command.exit()).isEqualTo(2);
    assertThat(command.err()).contains("There is no command 'strat'. Did you mean 'start'?");
    assertThat(Cli.run("run").exit()).isEqualTo(2);
  }
}
