package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.lease.Lease;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.Step;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.held.LogContext;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.LivenessSettings;
import dev.holdfast.engine.store.Store;
import dev.holdfast.tck.fault.FaultyStore;
import dev.holdfast.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** The log lines of a node and the node that they contain. */
class NodeLogTest extends NodeTestBase {
  private static final Logger LOG = (Logger) LoggerFactory.getLogger("dev.holdfast.engine");

  private final Store store = new InMemoryStore(InstantSource.system());
  private final Lines lines = new Lines();

  private record Line(Level level, String text, @Nullable String node, @Nullable String name) {}

  /** Records log lines with their context. */
  private static final class Lines extends AppenderBase<ILoggingEvent> {
    final List<Line> all = new CopyOnWriteArrayList<>();

    @Override
    protected void append(ILoggingEvent event) {
      all.add(
          new Line(
              event.getLevel(),
              event.getFormattedMessage(),
              event.getMDCPropertyMap().get(LogContext.NODE),
              event.getMDCPropertyMap().get(LogContext.NAME)));
    }

    List<String> warnings() {
      return all.stream().filter(line -> line.level.equals(Level.WARN)).map(Line::text).toList();
    }
  }

  @Override
  protected Store store() {
    return store;
  }

  @BeforeEach
  void listen() {
    lines.start();
    LOG.setLevel(Level.INFO);
    LOG.addAppender(lines);
  }

  @AfterEach
  void stopListening() {
    LOG.detachAppender(lines);
    LOG.setLevel(null);
  }

  @Test
  void everyLogLineContainsTheNodeRegardlessOfTheThread() {
    FaultyStore cut = new FaultyStore(store);
    CountDownLatch lost = new CountDownLatch(1);
    HoldfastNode node =
        start(
            node(cut)
                .id("scribe-1")
                .name("Scribe")
                .liveness(QUICK.with(settings -> settings.recover(true, false)))
                .listener(event -> {
                  throw new IllegalStateException("received " + event);
                })
                .handle(
                    ECHO,
                    (note, context) -> {
                      new CountDownLatch(1).await();
                      return "never";
                    }));
    Lease lease = node.leases().acquire("key", Duration.ofMillis(900)).orElseThrow();
    lease.onLost(() -> {
      LOG.warn("a lease was lost");
      lost.countDown();
    });
    cut.cut();
    await().atMost(SOON).until(() -> lost.getCount() == 0);
    await().atMost(SOON).until(() -> !node.isReady());
    cut.heal();
    await().atMost(SOON).until(node::isReady);
    awaitState(client().enqueue(ECHO, new Note("x")).id(), JobState.RUNNING);
    node.close();

    assertThat(lines.all)
        .extracting(Line::text)
        .anyMatch(text -> text.contains("does not recover running jobs"))
        .anyMatch(text -> text.contains("serves [default]"))
        .anyMatch(text -> text.startsWith("A listener threw"))
        .anyMatch(text -> text.contains("could not be renewed"))
        .anyMatch(text -> text.equals("a lease was lost"))
        .anyMatch(text -> text.contains("interrupted and handed back"))
        .anyMatch(text -> text.contains("has stopped"));
    assertThat(lines.all)
        .allSatisfy(line -> {
          assertThat(line.node()).as(line.text()).isEqualTo("scribe-1");
          assertThat(line.name()).as(line.text()).isEqualTo("Scribe");
        });
    assertThat(MDC.get(LogContext.NODE)).as("on the thread of the caller").isNull();
  }

  @Test
  void aSweepLogsWhichNodeDiedHowLongItWasSilentAndWhatHappenedToItsJobs() {
    client().enqueue(ECHO, new Note("running"));
    client().enqueue(ECHO, new Note("claimed"));
    dieWithClaimedJobs(1, 1);
    start(quick().queue("elsewhere", 1).handle(ECHO, (note, context) -> "never"));

    String silence = "silent for (9\\d\\d ms|\\d+(\\.\\d+)? s)";
    await()
        .atMost(SOON)
        .untilAsserted(() ->
            assertThat(lines.warnings())
                .anySatisfy(line ->
                    assertThat(line)
                        .startsWith("Node the-dead (")
                        .containsPattern(silence)
                        .contains("longer than its timeout of 900 ms"))
                .anySatisfy(line ->
                    assertThat(line)
                        .startsWith("Jobs of node the-dead")
                        .containsPattern(silence)
                        .contains("1 without a crash")
                        .contains("1 after a crash")));
  }

  @Test
  void aNodeWithTheNameOfAnotherLiveNodeIsWarnedOf() {
    HoldfastNode one = start(node().id("twin"));
    HoldfastNode other = start(node().id("twin"));

    assertThat(lines.warnings())
        .singleElement()
        .satisfies(warning ->
            assertThat(warning)
                .contains("Another node has the id twin and seems to be alive")
                .contains(one.incarnation().toString())
                .contains(other.incarnation().toString())
                .contains("process id " + ProcessHandle.current().pid()));
  }

  @Test
  void aNodeThatRecoversNothingLogsThat() {
    start(node().id("idle-1").liveness(recovering(false, false)));
    start(node().id("idle-2").liveness(recovering(true, false)));
    start(node().id("idle-3").liveness(recovering(false, true)));
    start(node().id("busy").liveness(recovering(true, true)));

    assertThat(lines.warnings())
        .hasSize(3)
        .anyMatch(warning -> warning.startsWith("Node idle-1 does not recover any jobs"))
        .anyMatch(warning -> warning.startsWith("Node idle-2 does not recover running jobs"))
        .anyMatch(warning -> warning.startsWith("Node idle-3 does not recover claimed jobs"));
  }

  @Test
  void theFirstOutputOfATaskWithHalfOfTheAllowedSizeIsLogged() {
    start(node().resultLimit(100).handle(ECHO, (note, context) -> note.text()));

    for (int size : List.of(47, 48, 60)) {
      awaitState(client().enqueue(ECHO, new Note("x".repeat(size))).id(), JobState.SUCCEEDED);
    }

    assertThat(lines.warnings())
        .singleElement()
        .satisfies(warning ->
            assertThat(warning)
                .startsWith("The result of job ")
                .contains(ECHO.name(), "has 50 bytes", "at most 100", "holdfast.outputs.large"));
  }

  @Test
  void aRunWhoseOutputsHaveHalfOfTheAllowedSizeIsLoggedOnce() {
    int megabyte = 1 << 20;
    Workflow<Note, Void> flow =
        Workflow.define(
            "log::large",
            Note.class,
            f -> {
              Step<String> first = f.step("first", ECHO, f.input());
              Step<String> second = f.step("second", ECHO, f.input()).after(first);
              f.step("third", ECHO, f.input()).after(second);
            });
    start(
        node()
            .resultLimit(64 * megabyte)
            .handle(ECHO, (note, context) -> "x".repeat(16 * megabyte - 2)));

    RunId id = client().runs().start(flow, new Note("x")).id();
    await()
        .atMost(SOON)
        .until(() -> client().runs().find(id).orElseThrow().state() == RunState.SUCCEEDED);

    assertThat(lines.warnings())
        .singleElement()
        .satisfies(warning ->
            assertThat(warning)
                .startsWith(
                    "The outputs of run %s have %d bytes, and at most %d"
                        .formatted(id, 32 * megabyte, 64 * megabyte)));
  }

  private static LivenessSettings recovering(boolean claimed, boolean running) {
    return PATIENT.with(settings -> settings.recover(claimed, running));
  }
}
